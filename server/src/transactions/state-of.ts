import type { ReceivedRecords } from '../facilitator/records.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build } from './build.ts'
import type { BuiltRecords, BuiltState } from '../sender/built-records.ts'

export interface StateDeps {
  readonly records: Pick<BuiltRecords, 'state'>
  readonly received: Pick<ReceivedRecords, 'state'>
}

/** Where the payment of a build stands: a sent one, or the received one that the build settles. */
export async function stateOf(
  tx: Tx,
  { records, received }: StateDeps,
  { accountId, paymentId, proofKey }: Pick<Build, 'accountId' | 'paymentId' | 'proofKey'>,
): Promise<BuiltState> {
  if (proofKey === null) {
    const state = await records.state(tx, accountId, paymentId)
    if (state === undefined) throw new Error('a built payment is gone')
    return state
  }
  const state = await received.state(tx, accountId, paymentId)
  if (state === undefined) throw new Error('a built payment is gone')
  const { status, hash } = state
  // A transaction of ours that is under way has not paid yet.
  const isSeen = status === 'confirmed' || status === 'settled'
  return { status, paymentProof: null, hash: isSeen ? hash : null, abandoned: false }
}
