import type { AccountId } from '../kernel/id.ts'
import type { Store } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import type { ReceivedRecords } from './records.ts'

export interface DuplicateMessageDeps {
  readonly store: Store
  readonly records: Pick<ReceivedRecords, 'state'>
}

const OPEN =
  'An earlier settlement has this payment, and was not answered yet. Ask for that one again, as before; do not pay again.'
const OVER =
  'An earlier settlement of this payment is over: it moved nothing and never will. Ask the payer for another payment.'
/** There a program may have moved another amount for the payer. */
const OVER_ON_SOLANA = 'An earlier settlement of this payment is over: it did not pay these terms.'
const FOREIGN = 'This payment is claimed already, and settles for nobody else.'

/**
 * What is said beside `duplicate_settlement` of a claim that was made for other terms: what whoever has it can do next, and to everybody else
 * nothing of its state. Undefined once its success was answered: then what is always said is true.
 */
export async function duplicateMessage(
  { store, records }: DuplicateMessageDeps,
  { accountId, paymentId, network, answeredAtMilliseconds }: Claim,
  asking: AccountId,
): Promise<string | undefined> {
  if (accountId !== asking) return FOREIGN
  if (answeredAtMilliseconds !== null) return undefined
  const state = await store.inTransaction('service', (tx) =>
    records.state(tx, accountId, paymentId),
  )
  if (state?.status !== 'expired' && state?.status !== 'failed') return OPEN
  return network.startsWith('solana:') ? OVER_ON_SOLANA : OVER
}
