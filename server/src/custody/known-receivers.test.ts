import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { makeWallet } from '../payments/test-lane.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openKnownReceivers } from './known-receivers.ts'
import { insertReceiver, removeReceiver } from './receiver-store.ts'

const ASKED = { family: 'evm', address: '0x00000000000000000000000000000000000000aa' } as {
  family: 'evm'
  address: Address
}

let database: TestDatabase
let accountId: AccountId
let now = 1_000_000
const clock = { nowMilliseconds: () => now, sleep: async () => undefined }
beforeEach(async () => {
  database = await openTestDatabase()
  accountId = (await makeWallet(database.store)).accountId
})
afterEach(() => database.close())

const register = () =>
  database.store.inTransaction('service', (tx) =>
    insertReceiver(tx, { accountId, ...ASKED, label: null, registeredAtMilliseconds: now }),
  )

/** The store of what is tested, with how often it was read, and a door that answers wait at. */
function watched() {
  let reads = 0
  let door = Promise.resolve()
  const { store } = database
  const counted: Store = {
    ...store,
    query: async <Row extends object>(name: string, text: string, values?: readonly unknown[]) => {
      const rows = await store.query<Row>(name, text, values)
      reads += 1
      await door
      return rows
    },
  }
  return {
    store: counted,
    reads: () => reads,
    hold: (until: Promise<void>) => {
      door = until
    },
  }
}

test('the verifications of one seller read once whose an address is, for the time of the bound', async () => {
  const { store, reads } = watched()
  const receivers = openKnownReceivers({ store, clock })
  expect(await receivers.accountOf(ASKED)).toBeUndefined()
  await register()
  expect(await receivers.accountOf(ASKED)).toBeUndefined()
  expect(reads()).toBe(1)
  now += limits.receiverCacheMilliseconds
  expect(await receivers.accountOf(ASKED)).toBe(accountId)
  expect(reads()).toBe(2)
})

test('what this instance registers and gives up is known at once', async () => {
  const receivers = openKnownReceivers({ store: database.store, clock })
  expect(await receivers.accountOf(ASKED)).toBeUndefined()
  await register()
  receivers.forget(ASKED)
  expect(await receivers.accountOf(ASKED)).toBe(accountId)
  await database.store.inTransaction('service', (tx) =>
    removeReceiver(tx, accountId, ASKED.address, now),
  )
  receivers.forget(ASKED)
  expect(await receivers.accountOf(ASKED)).toBeUndefined()
})

test('what was read before a registration is not remembered after it', async () => {
  const { store, reads, hold } = watched()
  const receivers = openKnownReceivers({ store, clock })
  const read = Promise.withResolvers<void>()
  hold(read.promise)
  const earlier = receivers.accountOf(ASKED)
  await until('it was read, and the answer is on the way', () => reads() > 0, { seconds: 30 })
  await register()
  receivers.forget(ASKED)
  read.resolve()
  await earlier
  expect(await receivers.accountOf(ASKED)).toBe(accountId)
})
