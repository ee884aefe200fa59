import type { NetworkId } from '@florin/wire/network.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { CLAIM_COLUMNS, claimOf } from './claim-store.ts'
import type { ClaimRow } from './claim-store.ts'

/**
 * When a claim is looked at again. `soon`: something is becoming of it. `carried`: a transaction of ours carries it, and who follows that one
 * says so when it comes to nothing. `open`: nothing has become of it, until its end. `idle`: nothing was ever done for it here either, so that
 * it did cost its payer nothing. `behind`: it was used, and the node that shows by what has not come there. `lost`: it was used, and no node
 * shows by what. `never`: it has come to its end.
 */
export type NextLook = 'soon' | 'carried' | 'open' | 'idle' | 'behind' | 'lost' | 'never'

/** A claim as it was read: the version changes with each change of its row, and locks leave it as it is. */
export interface DueClaim extends Claim {
  readonly version: string
}

/** The claims whose turn it is, those that were called and new ones first, then the longest due. What is not due costs nothing, however many there are. */
export async function openClaims(
  tx: Tx,
  network: NetworkId,
  count: number,
  nowMilliseconds: number,
): Promise<readonly DueClaim[]> {
  const rows = await tx.query<ClaimRow & { readonly version: string }>(
    'claims_open',
    // Each part reads its own stretch of the index, in the index's very order, and stops at its end or at the limit. The last one was noted
    // before a clock was set back: no look is put off for so long.
    `select ${CLAIM_COLUMNS}, version from (
       (select *, xmin::text as version from settlement_claims where network = $1 and closed_at is null and look_at is null
        order by look_at nulls first, created_at limit $2)
       union all
       (select *, xmin::text as version from settlement_claims where network = $1 and closed_at is null and look_at <= to_timestamp($3 / 1000.0)
        order by look_at nulls first, created_at limit $2)
       union all
       (select *, xmin::text as version from settlement_claims where network = $1 and closed_at is null and look_at > to_timestamp($4 / 1000.0)
        order by look_at nulls first, created_at limit $2)) as due
     order by look_at nulls first, created_at limit $2`,
    [
      network,
      count,
      nowMilliseconds,
      nowMilliseconds + (PAUSE_SECONDS_MAX + limits.clockAheadSeconds) * 1000,
    ],
  )
  return rows.map((row) => ({ ...claimOf(row), version: row.version }))
}

type Looked = Pick<DueClaim, 'paymentId' | 'looks' | 'version' | 'validBeforeSeconds'>

/**
 * Notes that claims were looked at, when that is to happen again, and closes those that need no more looking. One that somebody holds, or
 * that was changed since it was read, is left as it is: it is due, and what happened to it is seen in its next look.
 */
export async function noteLooks(
  tx: Tx,
  looked: readonly {
    readonly claim: Looked
    readonly next: NextLook
  }[],
  nowMilliseconds: number,
): Promise<void> {
  if (looked.length === 0) return
  await tx.query(
    'claims_looked',
    `with looked as (
       select * from json_to_recordset($1::json)
         as l (payment_id text, version text, looks integer, pause bigint, closed boolean)
     ), locked as (
       select looked.* from settlement_claims c join looked using (payment_id)
       order by c.payment_id for no key update of c skip locked
     )
     update settlement_claims c
     set look_at = to_timestamp(($2 + l.pause) / 1000.0), looks = l.looks,
       closed_at = case when l.closed then to_timestamp($2 / 1000.0) else closed_at end
     from locked l
     where c.payment_id = l.payment_id and c.xmin::text = l.version`,
    [
      JSON.stringify(
        looked.map(({ claim, next }) => ({
          payment_id: claim.paymentId,
          version: claim.version,
          looks: isCounted(next) ? Math.min(claim.looks + 1, LOOKS_MAX) : 0,
          pause: pauseMilliseconds(next, claim, nowMilliseconds),
          closed: next === 'never',
        })),
      ),
      nowMilliseconds,
    ],
  )
}

/**
 * Has claims looked at in the next round: a block has shown something that may be theirs. Somebody is at those that are locked, and this waits for
 * nobody, since it comes behind locks of payments: a claim that is being noted at this very moment has its next look when that says.
 */
export async function lookSoon(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'claims_look_soon',
    `update settlement_claims c set looks = 0, look_at = null from (
       -- By their keys alone: all that are open are many more.
       select payment_id from settlement_claims where payment_id = any($1) and coalesce(closed_at is null, false)
       order by payment_id for no key update skip locked) as due
     where c.payment_id = due.payment_id`,
    [paymentIds],
  )
}

/** Ends the looking at a new claim: somebody else follows its record. */
export async function closeClaim(
  tx: Tx,
  paymentId: PaymentId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'claim_close',
    'update settlement_claims set closed_at = to_timestamp($2 / 1000.0) where payment_id = $1',
    [paymentId, nowMilliseconds],
  )
}

/** No look is put off for longer. */
const PAUSE_SECONDS_MAX = Math.max(limits.idleClaimSecondsMax, limits.lostClaimSecondsMax)

/** More make no difference to the pause. */
const LOOKS_MAX = 1_000

/** Whether a look counts for the pauses that grow: only of looks in which nothing was becoming of the claim. */
const isCounted = (next: NextLook): boolean => next !== 'soon' && next !== 'carried'

/**
 * Twice as long each time, from one second on, after some looks without a pause. Who signs without an end keeps nobody busy, and where there is
 * an end it is not slept through. What is carried has one pause.
 */
function pauseMilliseconds(
  next: NextLook,
  { looks, validBeforeSeconds }: Looked,
  nowMilliseconds: number,
): number {
  if (next === 'carried') return limits.carriedClaimAgainSeconds * 1000
  const left = validBeforeSeconds === null ? 0 : Number(validBeforeSeconds) - nowMilliseconds / 1000
  const most = {
    soon: 0,
    never: 0,
    open: limits.openClaimSecondsMax,
    behind: limits.openClaimSecondsMax,
    idle: Math.max(limits.openClaimSecondsMax, Math.min(left, limits.idleClaimSecondsMax)),
    lost: limits.lostClaimSecondsMax,
  }
  const beyond = looks + 1 - limits.claimLooksAtOnce
  const seconds = beyond < 0 ? 0 : Math.min(2 ** Math.min(beyond, 30), most[next])
  return Math.ceil(seconds * 1000)
}
