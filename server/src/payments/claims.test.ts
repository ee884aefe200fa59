import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { lookSoon, noteLooks, openClaims } from '../facilitator/claim-looks-store.ts'
import type { NextLook } from '../facilitator/claim-looks-store.ts'
import { lockClaim } from '../facilitator/claim-store.ts'
import { holdClaims } from '../facilitator/soft-claim-store.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { claimEffects } from './store.ts'
import { openTestClaim, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const config = testNetwork(84_532)
const { network } = config
const HASH = '0xfeed' as TransactionHash
const HOUR = 3_600_000

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

const openClaim = (createdAt: number, validBeforeSeconds = 9n) =>
  openTestClaim(database.store, recordsOf(database.store, config), {
    ...{ config, accountId: wallet.accountId, createdAt, validBeforeSeconds },
  })

test('claims that keep coming do not keep an older one from its turn', async () => {
  const now = systemClock.nowMilliseconds()
  const old = await openClaim(now - HOUR)
  await openClaim(now)
  const [next] = await database.store.inTransaction('service', async (tx) => {
    await tx.query('test_look', 'update settlement_claims set look_at = $2 where payment_id = $1', [
      old,
      new Date(now - HOUR / 2),
    ])
    return openClaims(tx, network, 1, now)
  })
  expect(next?.paymentId).toBe(old)
})

test('a claim that nothing becomes of is looked at less and less often, and soon when it is tried again', async () => {
  const start = systemClock.nowMilliseconds()
  const paymentId = await openClaim(start)
  const { store } = database
  const due = (now: number) =>
    store.inTransaction('service', (tx) => openClaims(tx, network, 1, now))
  const look = async (now: number, next: NextLook) => {
    const [claim] = await due(now)
    if (claim === undefined) return false
    await store.inTransaction('service', (tx) => noteLooks(tx, [{ claim, next }], now))
    return true
  }
  /** Looks in an hour of rounds, one each second. */
  const looksInAnHour = async (from: number, next: NextLook) => {
    let looks = 0
    for (let second = 0; second < HOUR / 1000; second += 1) {
      if (await look(from + second * 1000, next)) looks += 1
    }
    return looks
  }
  expect(await looksInAnHour(start, 'lost')).toBeLessThan(25)
  await store.inTransaction('service', (tx) =>
    lockClaim(tx, { paymentId, digest: new Uint8Array(32) }),
  )
  expect(await look(start + HOUR, 'soon')).toBe(true)
  expect(await look(start + HOUR, 'never')).toBe(true)
  expect(await due(start + 2 * HOUR)).toEqual([])
})

test.each([0, 1])(
  'a claim that is called between a look and its note stays due, called before or not: %i',
  async (calls) => {
    const now = systemClock.nowMilliseconds()
    const paymentId = await openClaim(now)
    const { store } = database
    const due = () => store.inTransaction('service', (tx) => openClaims(tx, network, 1, now + 1))
    const call = () => store.inTransaction('service', (tx) => lookSoon(tx, [paymentId]))
    const note = (looked: Awaited<ReturnType<typeof due>>) =>
      store.inTransaction('service', (tx) =>
        noteLooks(
          tx,
          looked.map((claim) => ({ claim, next: 'carried' as const })),
          now + 1,
        ),
      )
    for (let count = 0; count < calls; count += 1) await call()
    const looked = await due()
    await call()
    await note(looked)
    expect(await due()).toHaveLength(1)
    // What it was called for is seen by whoever reads it afterwards.
    await note(await due())
    expect(await due()).toEqual([])
  },
)

test('whoever notes looks waits for nobody who holds a claim, and leaves it due', async () => {
  const now = systemClock.nowMilliseconds()
  const [held, free] = [await openClaim(now), await openClaim(now)]
  const { store } = database
  const due = () => store.inTransaction('service', (tx) => openClaims(tx, network, 2, now))
  const claims = await due()
  await store.inTransaction('service', async (holder) => {
    await holdClaims(holder, network, [proofKey(held)])
    await store.inTransaction('service', (tx) =>
      noteLooks(
        tx,
        claims.map((claim) => ({ claim, next: 'carried' as const })),
        now,
      ),
    )
  })
  expect(claims.map(({ paymentId }) => paymentId).toSorted()).toEqual([held, free].toSorted())
  expect((await due()).map(({ paymentId }) => paymentId)).toEqual([held])
})

test('a claim that nothing was ever done for is looked at less and less often, and at its end as often as others', async () => {
  const start = systemClock.nowMilliseconds()
  const seconds = BigInt(Math.floor(start / 1000))
  await openClaim(start, seconds + 7_200n)
  const { store } = database
  const looks: number[] = []
  for (let second = 0; second < 7_300; second += 1) {
    const now = start + second * 1000
    await store.inTransaction('service', async (tx) => {
      const due = await openClaims(tx, network, 1, now)
      if (due.length > 0) looks.push(second)
      await noteLooks(
        tx,
        due.map((claim) => ({ claim, next: 'idle' as const })),
        now,
      )
    })
  }
  expect(looks.filter((second) => second < 3_600).length).toBeLessThan(25)
  // The end of its time is not slept through: it may be over from then on.
  expect(looks.filter((second) => second >= 7_200 && second <= 7_215)).not.toEqual([])
  expect(looks.filter((second) => second > 7_215).length).toBeGreaterThan(4)
})

test('an effect that another record has claimed stays with it and stops nobody; whose own one that was sent is not, is told', async () => {
  const [first, second] = [await openClaim(0), await openClaim(0)]
  const claim = (paymentId: PaymentId, direction: 'sent' | 'received') =>
    database.store.inTransaction('service', (tx) =>
      claimEffects(
        tx,
        [
          {
            ...{ network, transactionHash: HASH, effectIndex: 1 },
            ...{ direction, paymentId, accountId: wallet.accountId },
          },
        ],
        0,
      ),
    )
  await claim(first, 'received')
  await claim(second, 'received')
  expect(await claim(first, 'sent')).toEqual(new Set())
  expect(await claim(second, 'sent')).toEqual(new Set([second]))
  const effects = await database.store.query('test_effects', 'select payment_id from effects')
  expect(effects).toEqual([{ payment_id: first }, { payment_id: first }])
})
