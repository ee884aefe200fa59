import type { Family } from '@florin/wire/network.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { planForValues } from '../store/plan-for-values.ts'
import type { Tx } from '../store/postgres.ts'

// What operators of the installation see of every account's wallets: nothing of their keys. Never for an account's own requests.

/** A wallet without its keys. */
export interface AnyWallet {
  readonly walletId: WalletId
  readonly accountId: AccountId
  readonly family: Family
  readonly address: string
  readonly label: string | null
  readonly createdAtMilliseconds: number
}

/** Wallets that were not deleted, newest first: of one account or of all, by the start of their address or a part of their label. */
export async function pageOfWallets(
  tx: Tx,
  {
    accountId,
    search,
  }: { readonly accountId?: string | undefined; readonly search?: string | undefined },
  { after, count }: { readonly after: string | undefined; readonly count: number },
): Promise<readonly AnyWallet[]> {
  await planForValues(tx)
  const rows = await tx.query<{
    id: WalletId
    account_id: AccountId
    family: Family
    address: string
    label: string | null
    created_at: Date
  }>(
    'custody_any_wallets',
    `select id, account_id, family, address, label, created_at from wallets
     where deleted_at is null and ($1::text is null or account_id = $1)
       and ($2::text is null or starts_with(lower(address), lower($2)) or position(lower($2) in lower(label)) > 0)
       and ($3::text is null or (created_at, id) < (select created_at, id from wallets where id = $3))
     order by created_at desc, id desc limit $4`,
    [accountId ?? null, search ?? null, after ?? null, count],
  )
  return rows.map((row) => ({
    walletId: row.id,
    accountId: row.account_id,
    family: row.family,
    address: row.address,
    label: row.label,
    createdAtMilliseconds: row.created_at.getTime(),
  }))
}

/** How many wallets each of these accounts has; one that has none is missing. */
export async function walletCounts(
  tx: Tx,
  accountIds: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, number>> {
  const rows = await tx.query<{ account_id: AccountId; count: string }>(
    'custody_wallet_counts',
    `select account_id, count(*) as count from wallets
     where account_id = any($1) and deleted_at is null group by account_id`,
    [accountIds],
  )
  return new Map(rows.map(({ account_id: accountId, count }) => [accountId, Number(count)]))
}
