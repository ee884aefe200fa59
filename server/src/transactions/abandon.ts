import { Refusal } from '@florin/wire/errors.ts'
import { parseId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { BuildDeps } from './build-transaction.ts'
import { findBuild } from './build-store.ts'
import { giveNonceBack } from './nonce-store.ts'
import type { BuiltState } from './records.ts'

/**
 * Notes that a build is not wanted any more and lets the next one have its nonce. What the chain shows still decides. Somebody else's, a
 * malformed and an absent id look the same: 404.
 */
export async function abandonBuild(
  { store, records }: Pick<BuildDeps, 'store' | 'records'>,
  accountId: AccountId,
  paymentIdText: string,
): Promise<BuiltState> {
  const paymentId = parseId('pay', paymentIdText)
  if (paymentId === undefined) throw new Refusal('NOT_FOUND')
  return store.inTransaction(accountId, async (tx) => {
    const build = await findBuild(tx, accountId, paymentId)
    if (build === undefined) throw new Refusal('NOT_FOUND')
    await records.abandon(tx, accountId, paymentId)
    await giveNonceBack(tx, build, paymentId)
    const state = await records.state(tx, accountId, paymentId)
    if (state === undefined) throw new Error('a built payment is gone')
    return state
  })
}
