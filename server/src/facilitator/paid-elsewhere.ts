import type { AuthorizationUse, ForeignSettlement } from '../chains/exact.ts'
import { lookedFrom } from '../chains/looked-from.ts'
import { followedHeight, holdFollowed } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { BeginDeps, Beginning, Begun } from './beginning.ts'
import { ClaimRefused, hold, recordFor } from './claim-alone.ts'
import { findClaim } from './claim-store.ts'

/** An authorization that somebody else has used may still be a payment. Reads thousands of blocks: asked only once it is used. */
export async function findForeign(
  { store }: BeginDeps,
  { intake: { chain, exact, authorization } }: Beginning,
): Promise<AuthorizationUse | undefined> {
  const read = await store.inTransaction('service', (tx) =>
    followedHeight(tx, chain.config.network),
  )
  if (read === null) return undefined
  return exact.findForeign(authorization, lookedFrom(read, chain.config))
}

/**
 * Whether somebody else's transaction has paid a claim whose own attempt came to nothing; its record then says so. `behind`: a node that shows
 * which has not come there yet.
 */
export async function findPaidElsewhere(
  deps: BeginDeps,
  beginning: Beginning,
): Promise<'paid' | 'behind' | 'unknown'> {
  const use = await findForeign(deps, beginning)
  if (use?.kind === 'behind') return 'behind'
  if (use?.kind !== 'paid') return 'unknown'
  const recorded = await recordForeign(deps, beginning, use.settlement)
  return recorded?.kind === 'found' || recorded?.kind === 'taken' ? 'paid' : 'unknown'
}

/** Rolls the claim back: what was found pays another one. */
class PaysAnother extends Error {
  override readonly name = 'PaysAnother'
}

/** Undefined when the effect that was found pays another claim: then nothing is stored. */
export async function recordForeign(
  deps: BeginDeps,
  beginning: Beginning,
  settlement: ForeignSettlement,
): Promise<Begun | undefined> {
  const { accountId, paymentId, isNew } = beginning
  try {
    return await deps.store.inTransaction('service', async (tx) => {
      // Whoever reads the block of this effect now has its transfer recorded before, or sees this record.
      await holdFollowed(tx, beginning.intake.chain.config.network)
      const record = recordFor(beginning)
      const adopted = isNew ? await deps.records.depositOf(tx, record, settlement) : undefined
      if (adopted !== undefined) {
        const isHeld = await hold(tx, deps, { ...beginning, paymentId: adopted }, true)
        if (!isHeld) {
          if (await isUnclaimed(tx, beginning)) throw new PaysAnother()
          return { kind: 'taken' }
        }
        const claimed = { accountId, paymentId: adopted }
        const pays = await deps.records.adopt(tx, claimed, record.resource, settlement)
        if (!pays) throw new PaysAnother()
        return { kind: 'found' }
      }
      if (!(await hold(tx, deps, beginning))) return { kind: 'taken' }
      const claimed = { accountId, paymentId }
      const word = await deps.records.paidElsewhere(tx, claimed, settlement, false)
      if (word === 'pays another') throw new PaysAnother()
      return { kind: 'found' }
    })
  } catch (error) {
    if (error instanceof PaysAnother) return undefined
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    throw error
  }
}

/** A deposit has one claim: whoever does not get it, and has no other, is not paid by it. */
async function isUnclaimed(
  tx: Tx,
  { intake: { chain, authorization } }: Beginning,
): Promise<boolean> {
  return (await findClaim(tx, chain.config.network, authorization.proofKey)) === undefined
}
