import { parseNetworkId } from '@florin/wire/network.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openCountingTx } from '../store/test-plan.ts'
import type { CountingTx } from '../store/test-plan.ts'
import { storeTestWallet } from '../store/test-wallet.ts'

const NETWORK = parseNetworkId('eip155:84532') ?? fail()
const NOW = 1_790_000_000_000
/** Of each asset. */
const SPENDS = 2_000
const SECONDS_BETWEEN = 90

function fail(): never {
  throw new Error('not a network')
}

/** A wallet of a database of its own that will have spent a lot, with which statements are counted. */
export interface BusyWallet extends Pick<CountingTx, 'rowsThrough'> {
  readonly database: TestDatabase
  readonly wallet: { readonly id: WalletId; readonly accountId: AccountId }
  readonly network: typeof NETWORK
  readonly nowMilliseconds: number
  /** Of each asset. */
  readonly spendsWithinAnHour: number
  /** It pays for two days in `native` and in `token`, and all of it is final. What was planned before stays planned. */
  fill(): Promise<void>
  /** From here on statements are planned by statistics. */
  analyze(): Promise<void>
  close(): Promise<void>
}

/** Opens one that has spent nothing so far. */
export async function openBusyWallet(): Promise<BusyWallet> {
  const database = await openTestDatabase()
  const { client, rowsThrough } = await openCountingTx(database)
  const wallet = await storeTestWallet(database.store)
  const { accountId } = wallet

  /** As the owner of the tables, for what the service may not do. */
  async function asOwner(...texts: readonly string[]): Promise<void> {
    await client.query('set role none')
    for (const text of texts) await client.query(text)
    await client.query('set role florin_service')
  }

  return {
    ...{ database, wallet, rowsThrough, network: NETWORK, nowMilliseconds: NOW },
    spendsWithinAnHour: 3_600 / SECONDS_BETWEEN,
    fill: () =>
      asOwner(
        // Nothing that hangs on payments is written for each of them.
        'set session_replication_role = replica',
        `with spent as (
           select 'pay_' || lpad(left(asset, 1) || translate(n::text, '0', 'A'), 22, 'B') as id, asset,
             to_timestamp(${NOW} / 1000.0) - n * interval '${SECONDS_BETWEEN} seconds' as at
           from generate_series(0, ${SPENDS - 1}) n, unnest(array['native', 'token']) asset
         ), paid as (
           insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status,
             sandbox, created_at, confirmed_at, settled_at, transaction_hash, block_height)
           select id, '${accountId}', 'sent', '${wallet.id}', '${NETWORK}', asset, 1, 0, 's', 'r', 'settled', true, at, at, at, id, 1
           from spent
         )
         insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
         select id, '${wallet.id}', '${accountId}', '${NETWORK}', asset, 1, at from spent`,
        'set session_replication_role = origin',
      ),
    analyze: () => asOwner('analyze policy_spends', 'analyze payments'),
    close: async () => {
      await client.end()
      await database.close()
    },
  }
}
