import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { limits as bounds } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import { WINDOW_SECONDS, widestSeconds } from './decide.ts'
import type { Spent } from './decide.ts'
import type { AssetLimit } from './rules.ts'
import { SPENT, SPENT_UNSUMMED } from './spent-sql.ts'

/** A budget that a payment takes. Base units. */
export interface StoredSpend {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly walletId: WalletId
  readonly network: NetworkId
  readonly asset: string
  readonly amount: bigint
}

/** What counts against an asset's limits, and how much was read one by one for it. */
export interface CountedSpent extends Spent {
  /** Spends that might be summed up by now and are not. */
  readonly unsummed: number
  /** Runs whose sums do not count, since something in them was changed. */
  readonly stale: number
  /** Changes that were noted and not heard, also behind the last run. */
  readonly notes: number
}

/**
 * What is reserved of each asset in the windows that end now, as far back as its limit counts: a window that is wider than all it
 * limits has the sum of the widest of those. Each is summed for itself, since a join would read every spend of the wallet. Assets that are not
 * limited over time, or of which nothing is reserved and no change is unheard, are left out.
 */
export async function spentIn(
  tx: Tx,
  {
    wallet,
    network,
    limits,
    hasSums,
    nowMilliseconds,
  }: {
    wallet: { readonly id: WalletId; readonly accountId: AccountId }
    network: NetworkId
    /** One for each asset. */
    limits: readonly AssetLimit[]
    /** Whether anything of the wallet is summed up, or may be. */
    hasSums: boolean
    nowMilliseconds: number
  },
): Promise<ReadonlyMap<string, CountedSpent>> {
  const timed = limits.filter((limit) => widestSeconds(limit) > 0)
  if (timed.length === 0) return new Map()
  const before = (seconds: number) => new Date(nowMilliseconds - seconds * 1000)
  const rows = await tx.query<{
    asset: string
    hour: string
    day: string
    widest: string
    unsummed: string
    stale: string
    notes: string
  }>(
    hasSums ? 'policies_spent_summed' : 'policies_spent',
    `select asked.asset, spent.hour, spent.day, coalesce(spent.widest, 0) as widest, spent.unsummed, spent.stale, spent.notes
     from (select $3::text as network, asset, since as widest, greatest($6::timestamptz, since) as hour, greatest($7::timestamptz, since) as day,
         $8::timestamptz as summable
       from unnest($4::text[], $5::timestamptz[]) as each (asset, since)) as asked
     ${hasSums ? SPENT : SPENT_UNSUMMED}
     where spent.widest is not null or spent.notes > 0`,
    [
      wallet.id,
      wallet.accountId,
      network,
      timed.map(({ asset }) => asset),
      timed.map((limit) => before(widestSeconds(limit))),
      before(WINDOW_SECONDS.perHour),
      before(WINDOW_SECONDS.perDay),
      before(bounds.spendsSummedAfterSeconds),
    ],
  )
  return new Map(
    rows.map(({ asset, hour, day, widest, ...read }) => [
      asset,
      {
        ...{ perHour: BigInt(hour), perDay: BigInt(day), perMonth: BigInt(widest) },
        unsummed: Number(read.unsummed),
        stale: Number(read.stale),
        notes: Number(read.notes),
      },
    ]),
  )
}

/**
 * Takes budgets, one per payment. The payments may be written later in the same transaction. None is dated into what is summed up already, which
 * one whose clock is behind could.
 */
export async function reserve(
  tx: Tx,
  spends: readonly StoredSpend[],
  nowMilliseconds: number,
): Promise<void> {
  if (spends.length === 0) return
  await tx.query(
    'policies_reserve',
    `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
     select payment_id, wallet_id, account_id, network, asset, amount, greatest($2::timestamptz, (
       select until from policy_spend_sums sums
       where sums.wallet_id = spend.wallet_id and sums.network = spend.network and sums.asset = spend.asset
       order by until desc limit 1))
     from json_to_recordset($1) as spend (payment_id text, wallet_id text, account_id text,
       network text, asset text, amount numeric)`,
    [
      JSON.stringify(
        spends.map((spend) => ({
          payment_id: spend.paymentId,
          wallet_id: spend.walletId,
          account_id: spend.accountId,
          network: spend.network,
          asset: spend.asset,
          amount: spend.amount.toString(),
        })),
      ),
      new Date(nowMilliseconds),
    ],
  )
}

/** Says behind a statement which spends it made less, `less`, where their wallet has sums: those of their time do not count any more. */
const NOTE_LESS = `insert into policy_spend_changes (wallet_id, account_id, network, asset, reserved_at)
  select wallet_id, account_id, network, asset, reserved_at from less
  where exists (select from policy_spend_sums sums
    where sums.wallet_id = less.wallet_id and sums.network = less.network and sums.asset = less.asset)`

/** Gives back what payments took less than their budgets, now that they are final. A budget never grows by it. */
export async function lowerSpends(
  tx: Tx,
  spends: readonly Pick<StoredSpend, 'paymentId' | 'amount'>[],
): Promise<void> {
  if (spends.length === 0) return
  await tx.query(
    'policies_lower',
    `with less as (
       update policy_spends spend set amount = taken.amount
       from json_to_recordset($1::json) as taken (payment_id text, amount numeric)
       where spend.payment_id = taken.payment_id and spend.released_at is null and taken.amount < spend.amount
       returning spend.wallet_id, spend.account_id, spend.network, spend.asset, spend.reserved_at
     ) ${NOTE_LESS}`,
    [
      JSON.stringify(
        spends.map(({ paymentId, amount }) => ({
          payment_id: paymentId,
          amount: amount.toString(),
        })),
      ),
    ],
  )
}

/** Gives back the budgets of payments that failed: their money did not move and cannot move any more. */
export async function releaseSpends(
  tx: Tx,
  paymentIds: readonly PaymentId[],
  nowMilliseconds: number,
): Promise<void> {
  if (paymentIds.length === 0) return
  await tx.query(
    'policies_release',
    `with less as (
       update policy_spends set released_at = $2 where payment_id = any ($1) and released_at is null
       returning wallet_id, account_id, network, asset, reserved_at
     ) ${NOTE_LESS}`,
    [[...paymentIds], new Date(nowMilliseconds)],
  )
}
