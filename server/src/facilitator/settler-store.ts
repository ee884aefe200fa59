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

/** Makes a wallet one that settles, also one that was retired. False where it is one already. */
export async function appointSettler(
  tx: Tx,
  walletId: WalletId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'settlers_appoint',
    `insert into settler_wallets (wallet_id, created_at) values ($1, to_timestamp($2 / 1000.0))
     on conflict (wallet_id) do update set retired_at = null where settler_wallets.retired_at is not null
     returning wallet_id`,
    [walletId, nowMilliseconds],
  )
  return rows.length === 1
}

/** Takes a wallet out of those that settle; what it has under way ends as it would have. False where it is none. */
export async function retireSettler(
  tx: Tx,
  walletId: WalletId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'settlers_retire',
    `update settler_wallets set retired_at = to_timestamp($2 / 1000.0)
     where wallet_id = $1 and retired_at is null returning wallet_id`,
    [walletId, nowMilliseconds],
  )
  return rows.length === 1
}
