import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** What the books say of native currency that a wallet has on one network, base units. */
export interface NativeBook {
  readonly walletId: WalletId
  readonly network: NetworkId
  readonly available: bigint
}

/** The books in native currency of these wallets of an account that have less than their network's bound. */
export async function lowNativeBooks(
  tx: Tx,
  accountId: AccountId,
  walletIds: readonly WalletId[],
  bounds: ReadonlyMap<NetworkId, bigint>,
  count: number,
): Promise<readonly NativeBook[]> {
  if (walletIds.length === 0 || bounds.size === 0) return []
  const rows = await tx.query<{ wallet_id: WalletId; network: NetworkId; balance: string }>(
    'ledger_low_native',
    `select books.wallet_id, books.network, books.balance
     from unnest($3::text[], $4::numeric[]) as low (network, bound)
     join ledger_accounts books on books.network = low.network and books.balance < low.bound
     where books.account_id = $1 and books.wallet_id = any($2) and books.asset = 'native' and books.kind = 'available'
     order by books.balance, books.id limit $5`,
    [accountId, walletIds, [...bounds.keys()], [...bounds.values()].map(String), count],
  )
  return rows.map(({ wallet_id: walletId, network, balance }) => ({
    walletId,
    network,
    available: BigInt(balance),
  }))
}
