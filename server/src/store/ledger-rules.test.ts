import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { sqlState } from './postgres.ts'
import type { Tx } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'
import { write } from './test-write.ts'

const account = newId(systemRandom, 'acct')
const wallet = newId(systemRandom, 'wal')
const UNBALANCED = '23514'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  await database.store.inTransaction(account, async (tx) => {
    await tx.query('account', "insert into accounts (id, name) values ($1, 'test')", [account])
    await tx.query(
      'wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', '0x0', '', '')`,
      [wallet, account],
    )
    for (const kind of ['available', 'external']) {
      await tx.query(
        'ledger-account',
        `insert into ledger_accounts (account_id, wallet_id, network, asset, kind)
         values ($1, $2, 'eip155:1', 'native', $3)`,
        [account, wallet, kind],
      )
    }
    await transfer(tx, ['5', '-5'])
  })
})
afterAll(() => database.close())

/** One funding transfer whose entries are the given amounts, in the order of the ledger accounts. */
async function transfer(tx: Tx, amounts: readonly string[], asset = 'native'): Promise<void> {
  await tx.query(
    'transfer',
    `with t as (
       insert into ledger_transfers (account_id, kind, network, asset, created_at)
       values ($1, 'funding', 'eip155:1', 'native', now()) returning id)
     insert into ledger_entries (transfer_id, ledger_account_id, account_id, network, asset, amount)
     select t.id, a.id, $1, 'eip155:1', $3, x.amount from t,
       unnest($2::numeric[]) with ordinality x(amount, place)
       join (select id, row_number() over (order by id) as place from ledger_accounts) a
         using (place)`,
    [account, amounts, asset],
  )
}

async function stateOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return sqlState(await attempt.catch((error: unknown) => error))
}

test('a transfer whose entries do not sum to zero is refused at commit', async () => {
  const { store } = database
  const unbalanced = [['5', '-4'], ['5', '4'], ['1']]
  for (const amounts of unbalanced) {
    let reached = false
    const attempt = store.inTransaction(account, async (tx) => {
      await transfer(tx, amounts)
      reached = true
    })
    expect(await stateOf(attempt)).toBe(UNBALANCED)
    expect(reached).toBe(true)
  }
  await store.inTransaction(account, (tx) => transfer(tx, ['7', '-7']))
})

test('entries of another asset than their transfer are refused even when they balance', async () => {
  const attempt = database.store.inTransaction(account, (tx) => transfer(tx, ['5', '-5'], 'USDC'))
  expect(await stateOf(attempt)).toBe(UNBALANCED)
})

const CHANGES = [
  'update ledger_entries set amount = amount + 1',
  'delete from ledger_entries',
  'truncate ledger_entries',
  "update ledger_transfers set kind = 'correction'",
  'delete from ledger_transfers',
  'truncate ledger_transfers cascade',
]

test.each(CHANGES)('the role of the service may not: %s', async (statement) => {
  const attempt = write(database.store, statement.slice(0, 40), statement)
  await expect(attempt).rejects.toThrow('permission denied')
})

test.each(CHANGES)('even the owner is stopped by a trigger: %s', async (statement) => {
  const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  try {
    await expect(owner.query(statement)).rejects.toThrow('append-only')
  } finally {
    await owner.end()
  }
})
