import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { WINDOW_SECONDS, widestSeconds } from './decide.ts'
import type { Spent } from './decide.ts'
import { parseStoredRules, storedRules } from './rules.ts'
import type { AssetLimit, PolicyRules } from './rules.ts'

/** A budget that a payment takes. Base units. */
export interface StoredSpend {
  readonly paymentId: PaymentId
  readonly accountId: AccountId
  readonly walletId: WalletId
  readonly network: NetworkId
  readonly asset: string
  readonly amount: bigint
}

interface Whose {
  readonly accountId: AccountId
  readonly walletId: WalletId
}

/** The wallet's policy, undefined when it has none. */
export async function readPolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
): Promise<PolicyRules | undefined> {
  const rows = await tx.query<{ rules: unknown }>(
    'policies_read',
    `select rules from wallet_policies where wallet_id = $1 and account_id = $2`,
    [walletId, accountId],
  )
  return rows[0] && parseStoredRules(rows[0].rules)
}

/**
 * The wallet's policy, locked until the transaction ends. One lane already orders payments of one network, but a
 * wallet has a lane per network, and what is signed without a lane has none.
 */
export async function lockPolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
): Promise<PolicyRules | undefined> {
  const rows = await tx.query<{ rules: unknown }>(
    'policies_lock',
    `select rules from wallet_policies where wallet_id = $1 and account_id = $2 for update`,
    [walletId, accountId],
  )
  return rows[0] && parseStoredRules(rows[0].rules)
}

/** Replaces the wallet's policy; null removes it. */
export async function writePolicy(
  tx: Tx,
  { accountId, walletId }: Whose,
  rules: PolicyRules | null,
  nowMilliseconds: number,
): Promise<void> {
  if (rules === null) {
    await tx.query(
      'policies_remove',
      `delete from wallet_policies where wallet_id = $1 and account_id = $2`,
      [walletId, accountId],
    )
    return
  }
  await tx.query(
    'policies_write',
    `insert into wallet_policies (wallet_id, account_id, rules, updated_at) values ($1, $2, $3, $4)
     on conflict (wallet_id) do update set rules = excluded.rules, updated_at = excluded.updated_at
       where wallet_policies.account_id = excluded.account_id`,
    [walletId, accountId, storedRules(rules), new Date(nowMilliseconds)],
  )
}

/**
 * What is reserved of each asset in the windows that end now, as far back as its limit counts: a window that is wider than all it
 * limits has the sum of the widest of those. Each is summed for itself, since a join would read every spend of the wallet. Assets that are not
 * limited over time, or of which nothing is reserved, are left out.
 */
export async function spentIn(
  tx: Tx,
  {
    wallet,
    network,
    limits,
    nowMilliseconds,
  }: {
    wallet: { readonly id: WalletId; readonly accountId: AccountId }
    network: NetworkId
    /** One for each asset. */
    limits: readonly AssetLimit[]
    nowMilliseconds: number
  },
): Promise<ReadonlyMap<string, Spent>> {
  const timed = limits.filter((limit) => widestSeconds(limit) > 0)
  if (timed.length === 0) return new Map()
  const before = (seconds: number) => new Date(nowMilliseconds - seconds * 1000)
  const rows = await tx.query<{ asset: string; hour: string; day: string; month: string }>(
    'policies_spent',
    `select asked.asset, spent.hour, spent.day, spent.month
     from unnest($4::text[], $5::timestamptz[]) as asked (asset, since)
     cross join lateral (
       select coalesce(sum(amount) filter (where reserved_at > $6), 0) as hour,
         coalesce(sum(amount) filter (where reserved_at > $7), 0) as day,
         sum(amount) as month
       from policy_spends
       where wallet_id = $1 and account_id = $2 and network = $3 and asset = asked.asset
         and reserved_at > asked.since and released_at is null
     ) as spent
     where spent.month is not null`,
    [
      wallet.id,
      wallet.accountId,
      network,
      timed.map(({ asset }) => asset),
      timed.map((limit) => before(widestSeconds(limit))),
      before(WINDOW_SECONDS.perHour),
      before(WINDOW_SECONDS.perDay),
    ],
  )
  return new Map(
    rows.map(({ asset, hour, day, month }) => [
      asset,
      { perHour: BigInt(hour), perDay: BigInt(day), perMonth: BigInt(month) },
    ]),
  )
}

/** Takes budgets, one per payment. The payments may be written later in the same transaction. */
export async function reserve(
  tx: Tx,
  spends: readonly StoredSpend[],
  nowMilliseconds: number,
): Promise<void> {
  if (spends.length === 0) return
  await tx.query(
    'policies_reserve',
    `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
     select payment_id, wallet_id, account_id, network, asset, amount, $2::timestamptz
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

/** Gives back what payments took less than their budgets, now that they are final. A budget never grows by it. */
export async function lowerSpends(
  tx: Tx,
  spends: readonly Pick<StoredSpend, 'paymentId' | 'amount'>[],
): Promise<void> {
  if (spends.length === 0) return
  await tx.query(
    'policies_lower',
    `update policy_spends spend set amount = least(spend.amount, taken.amount)
     from json_to_recordset($1::json) as taken (payment_id text, amount numeric)
     where spend.payment_id = taken.payment_id and spend.released_at is null`,
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
    `update policy_spends set released_at = $2 where payment_id = any ($1) and released_at is null`,
    [[...paymentIds], new Date(nowMilliseconds)],
  )
}
