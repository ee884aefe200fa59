import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofKey } from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Outbound, OutboundOutcome } from '../outbound/outbound.ts'
import { findPayment } from '../payments/store.ts'
import { EVM, openReading } from '../payments/test-records.ts'
import type { Waits } from '../payments/wait.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openSellers } from './ask-seller.ts'
import type { AskSeller } from './ask-seller.ts'
import { goOn } from './go-on.ts'
import { findPurchase, insertPurchase } from './store.ts'
import { write } from '../store/test-write.ts'
import { noWaits } from '../payments/test-waits.ts'

const REQUEST = { method: 'GET', url: 'https://shop.example/report', headers: {} } as const
const GOODS: OutboundOutcome = {
  ...{ kind: 'answered', status: 200, headers: new Map(), body: new Uint8Array([1]) },
}

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** Sellers that answer when they are let. */
function openSlowSellers() {
  const waiting: ((outcome: OutboundOutcome) => void)[] = []
  const outbound: Outbound = {
    request: () => new Promise((resolve) => waiting.push(resolve)),
  }
  const askSeller = openSellers(outbound)
  const ask = (accountId: AccountId) =>
    askSeller({ accountId, request: REQUEST, payment: null, seconds: 1 })
  return { ask, askSeller, waiting }
}

test('an account asks so many sellers at once, and another one is not held up by it', async () => {
  const { ask, waiting } = openSlowSellers()
  const [one, other] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
  const most = limits.fetchRequestsPerAccountMax
  const slow = Array.from({ length: most }, () => ask(one))
  expect(await ask(one)).toEqual({ kind: 'failed', reason: 'busy', mayHaveArrived: false })
  const others = ask(other)
  expect(waiting).toHaveLength(most + 1)
  waiting.at(-1)?.(GOODS)
  expect(await others).toBe(GOODS)
  waiting[0]?.(GOODS)
  expect(await slow[0]).toBe(GOODS)
  const next = ask(one)
  for (const answer of waiting) answer(GOODS)
  expect(await next).toBe(GOODS)
  await Promise.all(slow)
})

test('a payment that could not be shown for want of room counts as not shown, and is shown next', async () => {
  const { store } = database
  const reading = await openReading(store)
  const accountId = reading.accounts.alice
  const walletId = newId(systemRandom, 'wal')
  await write(
    store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $3, '', '')`,
    [walletId, accountId, EVM],
  )
  const payment = reading.payment({ walletId })
  await reading.store([payment])
  const purchase = {
    ...{ paymentId: payment.id, accountId, walletId, network: payment.network, url: REQUEST.url },
    ...{ requestDigest: new Uint8Array(32), proofKey: proofKey('a'), stored: {}, looks: 0 },
    ...{ validBeforeSeconds: 1n, lastValidBlockHeight: null, feePayer: EVM },
    ...{ sinceHeight: 1n, headerName: 'X-PAYMENT' as const, header: 'proof' },
    ...{ askingUntilMilliseconds: null, shown: 0, answer: null, isDelivered: false },
  }
  await store.inTransaction(accountId, (tx) => insertPurchase(tx, purchase, 0))
  const waits: Waits = {
    until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, payment.id)),
    ...noWaits,
    count: () => 0,
  }
  const going = { accountId, paymentId: payment.id, request: REQUEST }
  const goOnWith = (askSeller: AskSeller) =>
    goOn(
      { store, waits, askSeller, clock: systemClock, killPoint: () => undefined },
      { ...going, waitOver: new AbortController().signal },
    )
  const stored = () =>
    store.inTransaction(accountId, (tx) => findPurchase(tx, accountId, payment.id))

  const busy = { kind: 'failed', reason: 'busy', mayHaveArrived: false } as const
  expect(await goOnWith(async () => busy)).toMatchObject({ answer: null, problem: 'busy' })
  expect(await stored()).toMatchObject({ shown: 0, askingUntilMilliseconds: null })
  const shown = await goOnWith(async () => GOODS)
  expect(shown).toMatchObject({ answer: { status: 200 }, problem: null })
  expect(await stored()).toMatchObject({ shown: 1, isDelivered: true })
  await reading.close()
})
