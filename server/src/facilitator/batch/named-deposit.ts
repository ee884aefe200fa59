import type { AccountId } from '../../kernel/id.ts'
import type { NamedPayment } from '../identifier-store.ts'
import type { BatchIntake } from './intake.ts'

/** A deposit under the name that its payer gave it; undefined of everything that has none. Source: x402, payment-identifier. */
export function namedDeposit(
  accountId: AccountId,
  { chain, order: { payer }, identifier }: BatchIntake,
  /** Of its call. */
  key: string,
): NamedPayment | undefined {
  if (identifier === null || payer === null) return undefined
  return { accountId, payer, identifier, network: chain.config.network, proofKey: key }
}
