import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { holdRelay, RelayLost, releaseRelay, takeRelay } from './relay-store.ts'

const LEASE_MILLISECONDS = 60_000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)
const take = async (owner: string) =>
  (await inService((tx) => takeRelay(tx, owner, LEASE_MILLISECONDS)))?.fence
const release = (owner: string) => inService((tx) => releaseRelay(tx, owner))
const hold = (fence = 0n) => inService((tx) => holdRelay(tx, fence, LEASE_MILLISECONDS))

test('the relay is its holder’s until that gives it back, and the next one’s with another fence', async () => {
  const fence = await take('one')
  if (fence === undefined) throw new Error('no lease')
  expect([await take('two'), await take('one')]).toEqual([undefined, fence])
  await release('two')
  expect(await take('two')).toBeUndefined()
  await hold(fence)
  await release('one')
  // Nobody numbers: not even who did last.
  await expect(hold(fence)).rejects.toThrow(RelayLost)
  expect(await take('two')).toBe(fence + 1n)
  await expect(hold(fence)).rejects.toThrow(RelayLost)
  await hold(fence + 1n)
  expect(await take('one')).toBeUndefined()
})
