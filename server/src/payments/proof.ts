import type { BaseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { commitmentOf, encodePaymentProof, transferSecret } from '@florin/wire/transfer-proof.ts'
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

/** The proofs that this installation issues. Their secrets are made from the payment's id and never stored. */
export interface ProofKeys {
  /** The 32 bytes that go on chain with the payment. */
  commitmentOf(committed: Committed): Uint8Array
  /** The `paymentProof` of a payment of ours; null for one that we did not send. Whoever has it can claim the payment. */
  proofOf(payment: Payment): string | null
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
    }) =>
      type === 'received'
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
