import type { WalletId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** Wallets whose keys pay for settlements, those that were made first in front. */
export async function settlerWallets(tx: Tx): Promise<readonly WalletId[]> {
  const rows = await tx.query<{ wallet_id: WalletId }>(
    'settlers_list',
    'select wallet_id from settler_wallets where retired_at is null order by created_at, wallet_id',
  )
  return rows.map(({ wallet_id }) => wallet_id)
}

/** Makes a wallet one that settles. Told again, nothing changes. */
export async function insertSettler(
  tx: Tx,
  walletId: WalletId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'settlers_insert',
    `insert into settler_wallets (wallet_id, created_at) values ($1, to_timestamp($2 / 1000.0))
     on conflict (wallet_id) do nothing`,
    [walletId, nowMilliseconds],
  )
}
