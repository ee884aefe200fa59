import { Refusal } from '@florin/wire/errors.ts'
import { endBuilt } from '../facilitator/soft-claim-store.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { BuildDeps } from './build-transaction.ts'
import { findBuild } from './build-store.ts'
import { giveNonceBack } from './nonce-store.ts'
import type { BuiltState } from '../sender/built-records.ts'
import { stateOf } from './state-of.ts'
import { stopSending } from './submission-store.ts'

/**
 * Notes that a build is not wanted any more, lets the next one have its nonce, and somebody else claim a proof that it would have
 * settled. What the chain shows still decides. Somebody else's, a malformed and an absent id look the same: 404.
 */
export async function abandonBuild(
  { store, records, received, clock }: Pick<BuildDeps, 'store' | 'records' | 'received' | 'clock'>,
  accountId: AccountId,
  paymentIdText: string,
): Promise<BuiltState> {
  const paymentId = parseId('pay', paymentIdText)
  if (paymentId === undefined) throw new Refusal('NOT_FOUND')
  return store.inTransaction(accountId, async (tx) => {
    const build = await findBuild(tx, accountId, paymentId)
    if (build === undefined) throw new Refusal('NOT_FOUND')
    if (build.proofKey === null) await records.abandon(tx, accountId, paymentId)
    else await endBuilt(tx, paymentId, clock.nowMilliseconds())
    await giveNonceBack(tx, build, paymentId)
    await stopSending(tx, paymentId)
    return stateOf(tx, { records, received }, build)
  })
}
