import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import type { OutboundOutcome } from '../outbound/outbound.ts'
import { findPayment } from '../payments/store.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { noWaits } from '../payments/test-waits.ts'
import type { Waits } from '../payments/wait.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { showPayment } from './show-payment.ts'
import type { Purchase } from './purchase.ts'
import { endExchange, takeExchange } from './store.ts'
import { aPurchase } from './test-purchase.ts'

const LEASE_MILLISECONDS = 35_000
const FAILED: OutboundOutcome = { kind: 'failed', reason: 'timeout', mayHaveArrived: true }

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

/** A purchase whose seller once said 503, and whoever joins it. `take` and `end` are what another caller does that shows it. */
async function onceRefused(chainId: number) {
  const { store } = database
  const { chain, deps, purchase } = await aPurchase({ store, reading }, chainId, 7n)
  const { accountId, paymentId } = purchase
  const { clock } = deps
  const take = async () => {
    const now = clock.nowMilliseconds()
    const taken = await store.inTransaction(accountId, (tx) =>
      takeExchange(tx, purchase, now, now + LEASE_MILLISECONDS),
    )
    if (taken === undefined) throw new Error('nobody could show it')
    return taken
  }
  const end = (taken: Purchase, answer: Purchase['answer'] = null) =>
    store.inTransaction(accountId, (tx) => endExchange(tx, taken, answer, false))
  await end(await take(), { status: 503, headers: {}, body: new Uint8Array([2]) })

  /** `meanwhile`: what others do while the joiner waits for the n-th time. `beforeTurn`: before it shows the payment itself. */
  const join = async (
    meanwhile: (nth: number) => Promise<void>,
    beforeTurn: (nth: number) => Promise<void> = async () => undefined,
  ) => {
    let [waits, turns, shown] = [0, 0, 0]
    const waiting: Waits = {
      until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, paymentId)),
      ...noWaits,
      look: async (_, read) => {
        await read(false)
        await meanwhile((waits += 1))
        return read(true)
      },
      count: () => 0,
    }
    const ask = async () => {
      shown += 1
      return FAILED
    }
    const turn = () => {
      turns += 1
      return { ask, end: () => undefined }
    }
    const slow: typeof store.inTransaction = async (scope, work) => {
      if (turns > 0) await beforeTurn(turns)
      return store.inTransaction(scope, work)
    }
    const went = await showPayment(
      {
        ...{ store: { ...store, inTransaction: slow }, waits: waiting, clock },
        sellers: { turn },
        lookUntilPaid: async () => undefined,
        killPoint: () => undefined,
      },
      {
        ...{ chain, accountId, paymentId, waitOver: new AbortController().signal },
        request: { method: 'GET', url: purchase.url, headers: {} },
      },
    )
    return { went, shown }
  }
  return { take, end, join }
}

test('what a seller said before is not told for a showing to which it said nothing: the joiner shows the payment itself', async () => {
  const { take, end, join } = await onceRefused(71_910)
  const taken = await take()
  const { went, shown } = await join(async () => end(taken))
  expect(shown).toBe(1)
  expect(went).toMatchObject({ answer: null, problem: 'timeout' })
})

test('nor where another joiner is faster, and is told nothing either', async () => {
  const { take, end, join } = await onceRefused(71_911)
  let taken = await take()
  let isTakenAgain = false
  const { went, shown } = await join(
    async () => end(taken),
    async (turn) => {
      if (turn < 2 || isTakenAgain) return
      isTakenAgain = true
      taken = await take()
    },
  )
  expect(shown).toBe(0)
  expect(went).toMatchObject({ answer: null, problem: 'no_answer' })
})

test('where nothing can be shown any more, what the seller said last is told', async () => {
  const { take, end, join } = await onceRefused(71_912)
  for (let shown = 1; shown < limits.fetchShowsMax; shown += 1) await end(await take())
  const { went, shown } = await join(async () => undefined)
  expect(shown).toBe(0)
  expect(went).toMatchObject({ answer: { status: 503 }, problem: null })
})
