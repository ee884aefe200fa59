import { paymentIdentifierOf } from '@florin/wire/x402/payment-identifier.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NamedPayment } from './identifier-store.ts'
import type { Intake } from './intake.ts'

/** The payment under the name that its payer gave it; undefined when it has none. Source: x402, payment-identifier. */
export function namedPayment(
  accountId: AccountId,
  { chain, payment, authorization }: Intake,
): NamedPayment | undefined {
  const identifier = paymentIdentifierOf(payment.extensions)
  if (identifier === null || identifier === undefined) return undefined
  const { payer, proofKey } = authorization
  return { accountId, payer, identifier, network: chain.config.network, proofKey }
}
