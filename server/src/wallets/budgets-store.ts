import type { NetworkId } from '@florin/wire/network.ts'
import type { Wallet } from '../custody/wallet.ts'
import { WINDOW_SECONDS } from '../policies/decide.ts'
import type { WindowRule } from '../policies/decide.ts'
import { SPENT } from '../policies/spent-sql.ts'
import type { Tx } from '../store/postgres.ts'

/** What counts against the limits of one asset on one network, by window. Base units. */
export interface AssetUse {
  readonly network: NetworkId
  readonly asset: string
  /** Of payments that are final. */
  readonly spent: Readonly<Record<WindowRule, bigint>>
  /** Of payments that are not final yet: given back when they fail. */
  readonly held: Readonly<Record<WindowRule, bigint>>
}

/** An asset, and since when its payments count for the widest of its windows. */
export interface AskedUse {
  readonly network: NetworkId
  readonly asset: string
  readonly sinceMilliseconds: number
}

/**
 * What the windows that end now have taken of each asset, in one statement and so of one moment: a payment that settles meanwhile is held
 * or spent, never both. Each asset is summed for itself, so that nothing older is read. Assets of which nothing counts are left out.
 */
export async function budgetUse(
  tx: Tx,
  { id, accountId }: Pick<Wallet, 'id' | 'accountId'>,
  asked: readonly AskedUse[],
  nowMilliseconds: number,
): Promise<readonly AssetUse[]> {
  if (asked.length === 0) return []
  const before = (seconds: number) => new Date(nowMilliseconds - seconds * 1000)
  const rows = await tx.query<{
    network: NetworkId
    asset: string
    hour: string
    hour_held: string
    day: string
    day_held: string
    month: string
    month_held: string
  }>(
    'wallets_budget_use',
    `select asked.network, asked.asset, spent.hour, spent.day, spent.widest as month,
       held.hour as hour_held, held.day as day_held, held.month as month_held
     from (select network, asset, since as widest, greatest($6::timestamptz, since) as hour, greatest($7::timestamptz, since) as day,
         since as summable
       from unnest($3::text[], $4::text[], $5::timestamptz[]) as each (network, asset, since)) as asked
     ${SPENT}
     cross join lateral (
       select coalesce(sum(spend.amount) filter (where spend.reserved_at > $6), 0) as hour,
         coalesce(sum(spend.amount) filter (where spend.reserved_at > $7), 0) as day,
         coalesce(sum(spend.amount), 0) as month
       from payments payment join policy_spends spend on spend.payment_id = payment.id
       where payment.wallet_id = $1 and payment.account_id = $2 and payment.network = asked.network
         and payment.status in ('pending', 'confirmed') and spend.asset = asked.asset
         and spend.reserved_at > asked.widest and spend.released_at is null
     ) as held
     where spent.widest is not null`,
    [
      id,
      accountId,
      asked.map(({ network }) => network),
      asked.map(({ asset }) => asset),
      asked.map(({ sinceMilliseconds }) => new Date(sinceMilliseconds)),
      before(WINDOW_SECONDS.perHour),
      before(WINDOW_SECONDS.perDay),
    ],
  )
  return rows.map(({ network, asset, ...row }) => {
    const held = {
      perHour: BigInt(row.hour_held),
      perDay: BigInt(row.day_held),
      perMonth: BigInt(row.month_held),
    }
    const spent = {
      perHour: BigInt(row.hour) - held.perHour,
      perDay: BigInt(row.day) - held.perDay,
      perMonth: BigInt(row.month) - held.perMonth,
    }
    return { network, asset, spent, held }
  })
}
