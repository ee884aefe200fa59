import { paymentIdentifierOf } from '@florin/wire/x402/payment-identifier.ts'
import { parsePaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import { BATCH_SETTLEMENT } from '@florin/wire/x402/payment-requirements.ts'
import type { PaymentRequirements } from '@florin/wire/x402/payment-requirements.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Family, NetworkId } from '@florin/wire/network.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address, Chain } from '../../chains/chain.ts'
import type { BatchOrder } from '../../chains/batch.ts'
import { isNobody } from '../../chains/nobody.ts'
import { assetOf, refused, termsOf } from '../intake.ts'
import type { Presented, Refused } from '../intake.ts'

/** A payload of `batch-settlement` that reads well. */
export interface BatchIntake {
  readonly chain: Chain
  readonly order: BatchOrder
  readonly requirements: PaymentRequirements
  /** What the payer calls a deposit; null of one without a name, and of everything else, whose names are for the seller's server. */
  readonly identifier: string | null
  /** As the seller wrote it. */
  readonly networkName: string
}

/** Whether what is presented is of this scheme, by what the seller asks for. */
export function isBatch({ paymentRequirements }: Presented): boolean {
  return fieldsOf(paymentRequirements)?.['scheme'] === BATCH_SETTLEMENT
}

/** Reads a presented payload of the scheme against the seller's terms. Asks no node, and throws nothing that a caller can send. Source: x402 v2, `batch-settlement`. */
export function takeInBatch(
  presented: Presented,
  chains: ReadonlyMap<NetworkId, Chain>,
  settlersOf: (family: Family) => ReadonlySet<Address>,
): { readonly ok: true; readonly intake: BatchIntake } | Refused {
  const read = parsePaymentPayload(presented.paymentPayload)
  if (!read.ok) return refused(read.reason)
  const { payment } = read
  const wanted = termsOf(presented, payment)
  if (!wanted.ok) return wanted
  const { requirements } = wanted
  const { networkName } = requirements
  const no = (reason: Reason, payer: string | null = null, message?: string) =>
    refused(reason, networkName, payer, message)
  if (payment.x402Version !== 2) return no('unsupported_scheme')
  const chain = chains.get(requirements.network)
  if (chain === undefined) return no('invalid_network')
  if (chain.batch === undefined) return no('unsupported_scheme')
  if (payment.scheme !== requirements.scheme) return no('invalid_batch_settlement_evm_scheme')
  if (payment.network !== requirements.network) {
    return no('invalid_batch_settlement_evm_network_mismatch')
  }
  const payTo = chain.parseAddress(requirements.payTo)
  if (payTo === undefined) return no('invalid_payment_requirements')
  const asset = assetOf(requirements, chain)
  if (asset === undefined) return no('asset_not_listed')
  const settlers = settlersOf(chain.config.family)
  if (settlers.has(payTo) || isNobody(chain, payTo)) {
    return no('invalid_batch_settlement_evm_receiver_mismatch')
  }
  const found = chain.batch.read(payment.payload, {
    ...{ asset, payTo, requirements },
    extensions: payment.extensions,
  })
  if (!found.ok) return no(found.reason, found.payer, found.message)
  const { order } = found
  const identifier = order.operation === 'deposit' ? paymentIdentifierOf(payment.extensions) : null
  if (identifier === undefined) return no('invalid_payload', order.payer)
  return { ok: true, intake: { chain, order, requirements, identifier, networkName } }
}
