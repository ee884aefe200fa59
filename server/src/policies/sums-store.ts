import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { WINDOW_SECONDS } from './decide.ts'

/** Changes that one transaction takes at most. */
const CHANGES_MAX = 1_000

/** An asset of a wallet whose policy the caller has locked. */
export interface Summing {
  readonly wallet: { readonly id: WalletId; readonly accountId: AccountId }
  readonly network: NetworkId
  readonly asset: string
  readonly nowMilliseconds: number
}

/**
 * Sums up what a wallet has spent of an asset, in runs that follow each other without a gap, and makes those sums anew in which something was
 * changed. The lock on the wallet's policy is held: one at a time does it, and nobody reserves meanwhile.
 *
 * What is given back meanwhile leaves a note of its time, which nothing here removes unless the statement that lists notes saw it; so each sum
 * is made behind what the notes are about, and a run with a note does not count. Notes are left once a wallet has sums: the first
 * of them has no width, and no other is made until every transaction that may not have seen it is over.
 */
export async function sumSpends(tx: Tx, summing: Summing): Promise<void> {
  const { wallet, network, asset, nowMilliseconds } = summing
  const whose = [wallet.id, wallet.accountId, network, asset]
  const now = new Date(nowMilliseconds)
  const ready = new Date(nowMilliseconds - limits.spendsSummedAfterSeconds * 1000)
  // As text, which keeps what a Date does not hold of a time.
  const [first] = await tx.query<{ ends: string; begun: boolean }>(
    'policies_sums_last',
    `select max(until)::text as ends, min(summed_at) <= $5 as begun from policy_spend_sums
     where wallet_id = $1 and account_id = $2 and network = $3 and asset = $4 having count(*) > 0`,
    [...whose, ready],
  )
  if (first === undefined) {
    await tx.query(
      'policies_sums_begin',
      `insert into policy_spend_sums (wallet_id, account_id, network, asset, since, until, amount, summed_at)
       values ($1, $2, $3, $4, $5, $5, 0, $6)`,
      [...whose, new Date(nowMilliseconds - WINDOW_SECONDS.perMonth * 1000), now],
    )
    return
  }
  if (!first.begun) return
  await sumAnew(tx, whose, now)
  await tx.query(
    'policies_sums_forget',
    `delete from policy_spend_sums where wallet_id = $1 and account_id = $2 and network = $3 and asset = $4
       and until < least($5::timestamptz, $6::timestamptz)`,
    [...whose, new Date(nowMilliseconds - KEPT_SECONDS * 1000), first.ends],
  )
  await tx.query(
    'policies_sums_add',
    // Spends of one time are in one run. The last run of what is read may go on behind it.
    `with numbered as (
       select reserved_at, amount, (rank() over (order by reserved_at) - 1) / $7::integer as run
       from (select reserved_at, amount from policy_spends
         where wallet_id = $1 and account_id = $2 and network = $3 and asset = $4 and released_at is null
           and reserved_at >= $5::timestamptz and reserved_at < $6 order by reserved_at limit $7::integer * ($8::integer + 1)) next
     ), found as (
       select run, sum(amount) as amount, lead(min(reserved_at)) over (order by run) as until from numbered group by run
     )
     insert into policy_spend_sums (wallet_id, account_id, network, asset, since, until, amount, summed_at)
     select $1, $2, $3, $4, coalesce(lag(until) over (order by run), $5::timestamptz), until, amount, $9 from found where until is not null`,
    [...whose, first.ends, ready, limits.spendsPerRun, limits.spendRunsAtOnceMax, now],
  )
}

/** A day longer than any window counts. */
const KEPT_SECONDS = WINDOW_SECONDS.perMonth + WINDOW_SECONDS.perDay

/** Makes the sums anew of runs in which something was changed. */
async function sumAnew(tx: Tx, whose: readonly unknown[], now: Date): Promise<void> {
  const noted = await tx.query<{ id: string }>(
    'policies_sums_changes',
    `select id from policy_spend_changes
     where wallet_id = $1 and account_id = $2 and network = $3 and asset = $4 order by reserved_at limit $5`,
    [...whose, CHANGES_MAX],
  )
  if (noted.length === 0) return
  const ids = noted.map(({ id }) => id)
  // A statement of its own, which sees at least what the notes are about.
  await tx.query(
    'policies_sums_anew',
    `update policy_spend_sums sums set summed_at = $6, amount = coalesce((
       select sum(spend.amount) from policy_spends spend
       where spend.wallet_id = $1 and spend.account_id = $2 and spend.network = $3 and spend.asset = $4 and spend.released_at is null
         and spend.reserved_at >= sums.since and spend.reserved_at < sums.until), 0)
     where sums.wallet_id = $1 and sums.account_id = $2 and sums.network = $3 and sums.asset = $4 and exists (
       select from policy_spend_changes changed
       where changed.id = any ($5::bigint[]) and changed.reserved_at >= sums.since and changed.reserved_at < sums.until)`,
    [...whose, ids, now],
  )
  await tx.query(
    'policies_sums_heard',
    `delete from policy_spend_changes where wallet_id = $1 and account_id = $2 and id = any ($3::bigint[])`,
    [whose[0], whose[1], ids],
  )
}
