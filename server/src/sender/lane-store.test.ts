import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addressFromBytes } from '../chains/evm/account.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { freezeLane, lockLane, moveIdleLane } from './lane-store.ts'
import { write } from '../store/test-write.ts'

const { network } = testNetwork([])
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let serial = 0
let address = addressFromBytes(new Uint8Array(20))
beforeEach(() => {
  serial += 1
  address = addressFromBytes(new Uint8Array(20).fill(serial))
})
const begin = (at: bigint) =>
  database.store.inTransaction('service', (tx) => lockLane(tx, network, address, at))
const move = (to: bigint) =>
  database.store.inTransaction('service', (tx) => moveIdleLane(tx, network, address, to))
const nextNonce = async () => (await begin(0n)).nextNonce
const place = (nonce: number, state: string) =>
  write(
    database.store,
    'test_place',
    `insert into chain_transactions (network, lane_address, nonce, state, fee_ceiling, created_at)
     values ($1, $2, $3, $4, 1, now())`,
    [network, address, nonce, state],
  )

test('an idle lane goes on where the chain is, and never back', async () => {
  await begin(3n)
  expect([await move(7n), await nextNonce()]).toEqual(['moved', 7n])
  expect([await move(5n), await nextNonce()]).toEqual(['there', 7n])
  expect([await move(7n), await nextNonce()]).toEqual(['there', 7n])
})

test('a lane that is not there is not made: the first payment knows better where it begins', async () => {
  expect(await move(7n)).toBe('none')
  expect(await nextNonce()).toBe(0n)
})

test('a lane with open places stays, and one whose places are over does not', async () => {
  await begin(3n)
  await place(2, 'open')
  expect([await move(7n), await nextNonce()]).toEqual(['busy', 3n])
  await write(database.store, 'test_over', `update chain_transactions set state = 'dead'`)
  expect(await move(7n)).toBe('moved')
})

test('a frozen lane stays frozen where it is', async () => {
  await begin(3n)
  await database.store.inTransaction('service', (tx) => freezeLane(tx, network, address, 'used'))
  expect([await move(7n), await nextNonce()]).toEqual(['frozen', 3n])
})
