import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutboundOutcome } from '../outbound/outbound.ts'
import { findPayment } from '../payments/store.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { noWaits } from '../payments/test-waits.ts'
import type { Waits } from '../payments/wait.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { Store } from '../store/postgres.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { showPayment } from './show-payment.ts'
import { endExchange, findPurchase, takeExchange } from './store.ts'
import { aPurchase } from './test-purchase.ts'

const LEASE_MILLISECONDS = 35_000

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
})
afterAll(async () => {
  await reading.close()
  await database.close()
})

function answered(status: number): OutboundOutcome {
  return { kind: 'answered', status, headers: new Map(), body: new Uint8Array([1]) }
}

/** A purchase that a process was showing when it was killed; the seller settles it while the next caller waits for that process. */
async function killedInTheExchange(chainId: number, wasAnswered: boolean) {
  const { store } = database
  const { chain, deps, purchase, shows, follow, look } = await aPurchase(
    { store, reading },
    chainId,
    7n,
  )
  const { accountId, paymentId } = purchase
  const { clock } = deps
  const now = clock.nowMilliseconds()
  const take = () =>
    store.inTransaction(accountId, (tx) =>
      takeExchange(tx, purchase, now, now + LEASE_MILLISECONDS),
    )
  if (wasAnswered) {
    const taken = await take()
    if (taken === undefined) throw new Error('nobody could show it')
    const answer = { status: 503, headers: {}, body: new Uint8Array([2]) }
    await store.inTransaction(accountId, (tx) => endExchange(tx, taken, answer, false))
  }
  await take()
  shows(8n, 'used')
  await follow(8n, 'used')
  const waits: Waits = {
    until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, paymentId)),
    ...noWaits,
    look: async (_, read) => {
      await look(LEASE_MILLISECONDS)
      return read(true)
    },
    count: () => 0,
  }
  let shown = 0
  const sellers = {
    turn: () => ({
      ask: async () => {
        shown += 1
        return answered(200)
      },
      end: () => undefined,
    }),
  }
  const lookUntilPaid = async () => undefined
  const went = await showPayment(
    { store, waits, sellers, lookUntilPaid, clock, killPoint: () => undefined },
    {
      ...{ chain, accountId, paymentId, waitOver: new AbortController().signal },
      request: { method: 'GET', url: purchase.url, headers: {} },
    },
  )
  const stored = await store.inTransaction(accountId, (tx) =>
    findPurchase(tx, accountId, paymentId),
  )
  return { went, shown, stored }
}

test('a purchase that was paid while its shower lay dead is shown again, so that the goods are handed out', async () => {
  const { went, shown, stored } = await killedInTheExchange(71_894, false)
  expect(went.payment.status).toBe('confirmed')
  expect(shown).toBe(1)
  expect(went).toMatchObject({ answer: { status: 200 }, problem: null })
  expect(stored).toMatchObject({ isDelivered: true, shown: 2 })
})

test('what a seller said before is not given out for what it said to one that was killed', async () => {
  const { went, shown } = await killedInTheExchange(71_895, true)
  expect(shown).toBe(1)
  expect(went).toMatchObject({ answer: { status: 200 }, problem: null })
})

/**
 * Two callers who wait for one that was killed: one of them shows the payment, and the seller answers that one late, or not at all. `isMuchFaster`:
 * it does so before the other one has read anything.
 */
async function twoBehindTheKilled(chainId: number, outcome: OutboundOutcome, isMuchFaster = false) {
  const { store } = database
  const { chain, deps, purchase, shows, follow, look } = await aPurchase(
    { store, reading },
    chainId,
    7n,
  )
  const { accountId, paymentId } = purchase
  const { clock } = deps
  const now = clock.nowMilliseconds()
  await store.inTransaction(accountId, (tx) =>
    takeExchange(tx, purchase, now, now + LEASE_MILLISECONDS),
  )
  shows(8n, 'used')
  await follow(8n, 'used')
  const bothWait = Promise.withResolvers<void>()
  /** One of them has its answer, or waits for the other one. */
  const isOneBehind = Promise.withResolvers<void>()
  const isAnswered = Promise.withResolvers<void>()
  const isShown = Promise.withResolvers<void>()
  let haveWaited = false
  let looks = 0
  const waits: Waits = {
    until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, paymentId)),
    ...noWaits,
    look: async (_, read) => {
      looks += 1
      if (looks === 2) {
        await look(LEASE_MILLISECONDS)
        bothWait.resolve()
      }
      if (looks <= 2) {
        await bothWait.promise
        haveWaited = true
      } else {
        isOneBehind.resolve()
        await isAnswered.promise
      }
      return read(true)
    },
    count: () => 0,
  }
  let shown = 0
  const sellers = {
    turn: () => {
      let hasAsked = false
      return {
        ask: async () => {
          shown += 1
          hasAsked = true
          isShown.resolve()
          await isOneBehind.promise
          return outcome
        },
        end: () => {
          if (hasAsked) isAnswered.resolve()
        },
      }
    },
  }
  const lookUntilPaid = async () => undefined
  const slower: Pick<Store, 'inTransaction'> = {
    inTransaction: async (scope, work) => {
      if (isMuchFaster && haveWaited) await isShown.promise
      return store.inTransaction(scope, work)
    },
  }
  const ask = (read: Pick<Store, 'inTransaction'>) =>
    showPayment(
      {
        ...{ store: { ...store, ...read }, waits, sellers, lookUntilPaid, clock },
        killPoint: () => undefined,
      },
      {
        ...{ chain, accountId, paymentId, waitOver: new AbortController().signal },
        request: { method: 'GET', url: purchase.url, headers: {} },
      },
    ).finally(() => isOneBehind.resolve())
  return { went: await Promise.all([ask(store), ask(slower)]), shown: () => shown }
}

test.each([
  ['at the same moment', 71_896, false],
  ['one long before the other', 71_898, true],
] as const)(
  'of two who wait for one that was killed, and go on %s, one shows the payment and both get the goods',
  async (_, chainId, isMuchFaster) => {
    const { went, shown } = await twoBehindTheKilled(chainId, answered(200), isMuchFaster)
    expect(shown()).toBe(1)
    const goods = { payment: { status: 'confirmed' }, answer: { status: 200 }, problem: null }
    expect(went).toMatchObject([goods, goods])
  },
)

test('what such a one waited for in vain is told to it as well, and it does not show the payment again', async () => {
  const { went, shown } = await twoBehindTheKilled(71_897, {
    ...{ kind: 'failed', reason: 'timeout', mayHaveArrived: true },
  })
  expect(shown()).toBe(1)
  expect(went.map(({ answer }) => answer)).toEqual([null, null])
  expect(went.map(({ problem }) => problem).toSorted()).toEqual(['no_answer', 'timeout'])
})
