import { newId } from '../kernel/id.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store } from './postgres.ts'
import { write } from './test-write.ts'

/** An EVM wallet of an account of its own, as rows: nothing can be signed with it. Its address is its id where a test names none. */
export async function storeTestWallet(
  store: Store,
  address?: string,
): Promise<{ readonly id: WalletId; readonly accountId: AccountId }> {
  const accountId = newId(systemRandom, 'acct')
  const id = newId(systemRandom, 'wal')
  await write(store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [
    accountId,
  ])
  await write(
    store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $3, '', '')`,
    [id, accountId, address ?? id],
  )
  return { id, accountId }
}
