import { expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { openCountingTx } from '../store/test-plan.ts'
import { write } from '../store/test-write.ts'
import { nextGivings, takeGivingTurn } from './giving-store.ts'

const ACCOUNTS = 4
const ROWS_PER_ACCOUNT = 1_000
/** A row is gone through in the index, and in each step of the plan behind it. */
const ROWS_EACH_MAX = 13

test('a look at what waits goes through as much as it gives, however much waits and however little did when it was planned', async () => {
  const database = await openTestDatabase()
  const { client, rowsThrough } = await openCountingTx(database)
  const look = async () => {
    await client.query('begin')
    const through = await rowsThrough(async (tx) => {
      await takeGivingTurn(tx)
      await nextGivings(tx, '', limits.webhookGivingsPerStepMax)
    })
    await client.query('commit')
    return through
  }
  try {
    await look()
    await write(
      database.store,
      'test_givings',
      `insert into webhook_givings (account_id, given_sequence, last_sequence, webhooks)
       select 'acct_' || account, n - 1, n, '[]'
       from generate_series(1, ${ACCOUNTS}) account, generate_series(1, ${ROWS_PER_ACCOUNT}) n`,
    )
    const most = limits.webhookGivingsPerStepMax * ROWS_EACH_MAX
    expect(await look()).toBeLessThan(most)
    // And as it is planned by statistics.
    // "reset" would go back to what the connection began with, which may analyze nothing.
    await client.query('set role none')
    await client.query('analyze webhook_givings')
    await client.query('set role florin_service')
    expect(await look()).toBeLessThan(most)
  } finally {
    await client.end()
    await database.close()
  }
})
