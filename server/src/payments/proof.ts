import { timingSafeEqual } from 'node:crypto'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import {
  canonicalResource,
  commitmentOf,
  encodePaymentProof,
  transferSecret,
} from '@florin/wire/transfer-proof.ts'
import type { TransferProof } from '@florin/wire/transfer-proof.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Payment } from './payment.ts'

/** What a transfer's commitment binds, in the words of a payment. */
export interface Committed {
  readonly paymentId: PaymentId
  readonly network: NetworkId
  readonly asset: string
  readonly sender: Address
  readonly recipient: Address
  readonly amount: BaseUnits
  readonly resource: string | null
}

/** A proof that this installation may have issued, in the words of a payment. What it says is nobody's word yet. */
export interface Claimed extends Omit<Committed, 'paymentId'> {
  /** What the chain shows of the payment, if it shows anything. */
  readonly commitment: Uint8Array
  /** Whether the proof's secret is that of this payment. */
  isOf(paymentId: PaymentId): boolean
}

/** The proofs that this installation issues. Their secrets are made from the payment's id and never stored. */
export interface ProofKeys {
  /** The 32 bytes that go on chain with the payment. */
  commitmentOf(committed: Committed): Uint8Array
  /** The `paymentProof` of a payment of ours; null for one that we did not send, and where others sign and the chain cannot show it. Whoever has it can claim the payment. */
  proofOf(payment: Payment): string | null
  /** What a proof claims; undefined when its terms mean nothing on an enabled network. */
  claimOf(proof: TransferProof): Claimed | undefined
}

export function openProofs({
  proofKey,
  chains,
}: {
  proofKey: SecretBytes
  chains: ReadonlyMap<NetworkId, Chain>
}): ProofKeys {
  const secretOf = (paymentId: PaymentId) => transferSecret(proofKey.reveal(), paymentId)
  return {
    commitmentOf: ({ paymentId, network, asset, sender, recipient, amount, resource }) => {
      const chain = chains.get(network)
      const token = asset === 'native' ? undefined : chain?.parseAddress(asset)
      if (chain === undefined || (asset !== 'native' && token === undefined)) {
        throw new Error('a commitment is made for a configured asset of an enabled network')
      }
      return commitmentOf({
        secret: secretOf(paymentId),
        network,
        asset: token === undefined ? new Uint8Array(0) : chain.addressBytes(token),
        sender: chain.addressBytes(sender),
        recipient: chain.addressBytes(recipient),
        amountBaseUnits: amount,
        ...(resource === null ? {} : { resource }),
      })
    },
    claimOf: ({ network, secret, terms }) => {
      const chain = chains.get(network)
      const sender = chain?.parseAddress(terms.sender)
      const recipient = chain?.parseAddress(terms.recipient)
      const token = terms.asset === 'native' ? undefined : chain?.parseAddress(terms.asset)
      const { asset, resource, amountBaseUnits } = terms
      if (chain === undefined || sender === undefined || recipient === undefined) return undefined
      if (asset !== 'native' && token === undefined) return undefined
      if (resource !== undefined && canonicalResource(resource) === undefined) return undefined
      return {
        network,
        asset: token ?? 'native',
        sender,
        recipient,
        amount: amountBaseUnits,
        resource: resource ?? null,
        commitment: commitmentOf({
          secret,
          network,
          asset: token === undefined ? new Uint8Array(0) : chain.addressBytes(token),
          sender: chain.addressBytes(sender),
          recipient: chain.addressBytes(recipient),
          amountBaseUnits,
          ...(resource === undefined ? {} : { resource }),
        }),
        isOf: (paymentId) => timingSafeEqual(secretOf(paymentId), secret),
      }
    },
    proofOf: ({
      id,
      type,
      network,
      asset,
      sender,
      recipient,
      amount,
      resource,
      transactionHash,
      commitment,
      selfCustody,
      tradeId,
    }) =>
      // Nobody is paid by a trade.
      tradeId !== undefined ||
      type === 'received' ||
      (selfCustody !== undefined && commitment === null)
        ? null
        : encodePaymentProof({
            network,
            secret: secretOf(id),
            ...(transactionHash === null ? {} : { transaction: transactionHash }),
            terms: {
              asset,
              sender,
              recipient,
              amountBaseUnits: amount,
              ...(resource === null ? {} : { resource }),
            },
          }),
  }
}
