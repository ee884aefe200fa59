import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofKey } from '../chains/exact.ts'
import { findClaim, giveTurnBack, isTurnTaken, takeTurn } from '../facilitator/claim-store.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openTestClaim, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const config = testNetwork(84_532)
const HOUR = 3_600_000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test.each([
  { method: 'EIP-3009', storedWith: (end: bigint) => ({ validBefore: `${end}` }) },
  {
    method: 'Permit2',
    storedWith: (end: bigint) => ({ method: 'permit2', deadline: `${end - 1n}` }),
  },
])(
  'of two signatures of one payment by $method that another facilitator has, the one that can be used longer is followed',
  async ({ storedWith }) => {
    const { store } = database
    const { accountId } = await makeWallet(store)
    const start = systemClock.nowMilliseconds()
    const paymentId = await openTestClaim(store, recordsOf(store, config), {
      ...{ config, accountId, createdAt: start, validBeforeSeconds: 100n },
    })
    const handOver = (validBeforeSeconds: bigint, at: number) =>
      store.inTransaction('service', (tx) => {
        const handed = { stored: storedWith(validBeforeSeconds), validBeforeSeconds }
        return takeTurn(tx, { paymentId, facilitator: 'https://other.example', handed }, at)
      })
    const followed = () =>
      store.inTransaction('service', (tx) => findClaim(tx, config.network, proofKey(paymentId)))

    expect(await handOver(200n, start)).toEqual({ wasAsked: false })
    const longest = { stored: storedWith(200n), validBeforeSeconds: 200n }
    expect(await followed()).toMatchObject(longest)
    // Nobody is handed it while another call has the turn.
    expect(await handOver(300n, start + 1)).toBeUndefined()
    expect(await followed()).toMatchObject(longest)
    expect(await handOver(150n, start + HOUR)).toEqual({ wasAsked: true })
    expect(await followed()).toMatchObject(longest)
  },
)

test('a claim that another facilitator is asked to settle is looked at anew, and is nobody else’s any more', async () => {
  const { store } = database
  const { accountId } = await makeWallet(store)
  const start = systemClock.nowMilliseconds()
  const paymentId = await openTestClaim(store, recordsOf(store, config), {
    ...{ config, accountId, createdAt: start, validBeforeSeconds: 100n },
  })
  await write(
    store,
    'test_soft',
    `update settlement_claims set is_soft = true, built_until = now(), looks = 12, look_at = now() + interval '1 hour'
     where payment_id = $1`,
    [paymentId],
  )
  await store.inTransaction('service', (tx) =>
    takeTurn(tx, { paymentId, facilitator: 'https://other.example', handed: null }, start),
  )
  const rows = await store.query(
    'test_turn',
    'select is_soft, looks, look_at from settlement_claims where payment_id = $1',
    [paymentId],
  )
  expect(rows).toEqual([{ is_soft: false, looks: 0, look_at: null }])
})

test('a turn that was taken before a clock was set back is over, and one of another instance’s clock is not', async () => {
  const { store } = database
  const { accountId } = await makeWallet(store)
  const start = systemClock.nowMilliseconds()
  const paymentId = await openTestClaim(store, recordsOf(store, config), {
    ...{ config, accountId, createdAt: start, validBeforeSeconds: 100n },
  })
  const take = (at: number) =>
    store.inTransaction('service', (tx) =>
      takeTurn(tx, { paymentId, facilitator: 'https://other.example', handed: null }, at),
    )
  expect(await take(start + HOUR)).toEqual({ wasAsked: false })
  expect(await take(start + HOUR - limits.clockAheadSeconds * 1000)).toBeUndefined()
  expect(await take(start)).toEqual({ wasAsked: true })
})

test('a turn is given back by its own taker alone: one that was taken since stays', async () => {
  const { store } = database
  const { accountId } = await makeWallet(store)
  const start = systemClock.nowMilliseconds()
  const paymentId = await openTestClaim(store, recordsOf(store, config), {
    ...{ config, accountId, createdAt: start, validBeforeSeconds: 100n },
  })
  const inService = <T>(work: Parameters<typeof store.inTransaction<T>>[1]) =>
    store.inTransaction('service', work)
  const take = (at: number) =>
    inService((tx) =>
      takeTurn(tx, { paymentId, facilitator: 'https://other.example', handed: null }, at),
    )
  expect(await inService((tx) => isTurnTaken(tx, paymentId))).toBe(false)
  expect(await take(start)).toEqual({ wasAsked: false })
  expect(await take(start + HOUR)).toEqual({ wasAsked: true })
  // The first call hears only now that nothing was done for it.
  await inService((tx) => giveTurnBack(tx, paymentId, start))
  expect(await inService((tx) => isTurnTaken(tx, paymentId))).toBe(true)
  expect(await take(start + HOUR + 1)).toBeUndefined()
  await inService((tx) => giveTurnBack(tx, paymentId, start + HOUR))
  expect(await inService((tx) => isTurnTaken(tx, paymentId))).toBe(false)
})
