import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressFromBytes } from '../chains/evm/account.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import { write } from '../store/test-write.ts'
import { insertReceiver } from './receiver-store.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('an account has no more receiving addresses than it may have, though two are registered at once', async () => {
  const { store } = database
  const { accountId } = await makeWallet(store)
  await write(
    store,
    'test_receivers',
    `insert into receiving_addresses (account_id, family, address, registered_at)
     select $1, 'evm', 'before ' || n, now() from generate_series(1, $2::integer) as n`,
    [accountId, limits.receiversPerAccountMax - 1],
  )
  const register = (tx: Tx, byte: number) => {
    const address = addressFromBytes(new Uint8Array(20).fill(byte))
    const asked = { accountId, family: 'evm', address, label: null } as const
    return insertReceiver(tx, { ...asked, registeredAtMilliseconds: 0 })
  }
  const isWaiting = async () => {
    const waiting = await store.query('test_waiting', `select from ${WAITS_HERE}`)
    return waiting.length > 0
  }
  const second = await store.inTransaction(accountId, async (tx) => {
    await register(tx, 1)
    const other = Promise.allSettled([store.inTransaction(accountId, (own) => register(own, 2))])
    // Behind the first, or through beside it.
    await Promise.race([other, until('the second one waits', isWaiting, { seconds: 60 })])
    return { other }
  })
  expect(await second.other).toMatchObject([{ status: 'rejected' }])
})
