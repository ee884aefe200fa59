import { afterAll, beforeAll, expect, test } from 'vitest'
import { testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { beginFollowing, holdLease, LeaseLost, takeLease } from './follower-store.ts'

const { network } = testNetwork(4_000_010)
const LEASE_MILLISECONDS = 5_000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const within = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)
const take = (owner: string) => within((tx) => takeLease(tx, network, owner, LEASE_MILLISECONDS))

test('a network is followed on although its lease was taken by a clock that was set back', async () => {
  await within((tx) => beginFollowing(tx, network, { height: 1n, hash: 'a1' }))
  const old = await take('old')
  if (old === undefined) throw new Error('no lease')
  expect(await take('new')).toBeUndefined()
  await within((tx) =>
    tx.query(
      'test_set_back',
      `update followers set lease_until = lease_until + interval '5 hours' where network = $1`,
      [network],
    ),
  )
  // Whoever holds it and lives goes on, until somebody else has taken it.
  await within((tx) => holdLease(tx, old))
  expect(await take('new')).toMatchObject({ fence: old.fence + 1n })
  await expect(within((tx) => holdLease(tx, old))).rejects.toThrow(LeaseLost)
  expect(await take('old')).toBeUndefined()
})
