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
import { scriptedChain } from '../sender/test-chain.ts'
import { testNetwork } from '../payments/test-lane.ts'
import type { LookUntilPaid } from './look-until-paid.ts'
import { openSellers } from './ask-seller.ts'
import type { Sellers } from './ask-seller.ts'
import { showPayment } from './show-payment.ts'
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
  const sellers = openSellers(outbound)
  /** Undefined where there is no room. */
  const ask = (accountId: AccountId) => {
    const turn = sellers.turn(accountId)
    return turn?.ask({ request: REQUEST, payment: null, seconds: 1 }).finally(() => turn.end())
  }
  return { ask, sellers, waiting }
}

test('an account asks so many sellers at once, and another one is not held up by it', async () => {
  const { ask, waiting } = openSlowSellers()
  const [one, other] = [newId(systemRandom, 'acct'), newId(systemRandom, 'acct')]
  const most = limits.fetchRequestsPerAccountMax
  const slow = Array.from({ length: most }, () => ask(one) ?? Promise.reject(new Error('no room')))
  expect(ask(one)).toBeUndefined()
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

test('room is held from the price to the answer, and given back once', () => {
  const { sellers } = openSlowSellers()
  const accountId = newId(systemRandom, 'acct')
  const turns = Array.from({ length: limits.fetchRequestsPerAccountMax }, () =>
    sellers.turn(accountId),
  )
  expect(sellers.turn(accountId)).toBeUndefined()
  turns[0]?.end()
  turns[0]?.end()
  expect(sellers.turn(accountId)).toBeDefined()
  expect(sellers.turn(accountId)).toBeUndefined()
})

test('all accounts together take no more room than there are connections', () => {
  const { sellers } = openSlowSellers()
  for (let taken = 0; taken < limits.outboundRequestsMax; taken += 1) {
    expect(sellers.turn(newId(systemRandom, 'acct'))).toBeDefined()
  }
  expect(sellers.turn(newId(systemRandom, 'acct'))).toBeUndefined()
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
  const chain = scriptedChain(testNetwork(71_890), {})
  const order = { accountId, chain, paymentId: payment.id, request: REQUEST }
  const looked: boolean[] = []
  const lookUntilPaid: LookUntilPaid = async (_, { isDelivered }) => void looked.push(isDelivered)
  const showWith = (sellers: Sellers) =>
    showPayment(
      { store, waits, sellers, lookUntilPaid, clock: systemClock, killPoint: () => undefined },
      { ...order, waitOver: new AbortController().signal },
    )
  const stored = () =>
    store.inTransaction(accountId, (tx) => findPurchase(tx, accountId, payment.id))

  const full: Sellers = { turn: () => undefined }
  expect(await showWith(full)).toMatchObject({ answer: null, problem: 'busy' })
  expect(await stored()).toMatchObject({ shown: 0, askingUntilMilliseconds: null })
  const broken: OutboundOutcome = { ...GOODS, status: 500 }
  const refusing = { turn: () => ({ ask: async () => broken, end: () => undefined }) }
  expect(await showWith(refusing)).toMatchObject({ answer: { status: 500 }, problem: null })
  // What it said then is not what it says now.
  expect(await showWith(full)).toMatchObject({ answer: null, problem: 'busy' })

  const turns: string[] = []
  const shown = await showWith({
    turn: () => ({ ask: async () => GOODS, end: () => void turns.push('ended') }),
  })
  expect(turns).toEqual(['ended'])
  expect(shown).toMatchObject({ answer: { status: 200 }, problem: null })
  expect(await stored()).toMatchObject({ shown: 2, isDelivered: true })
  // A seller that hands out has settled: only then somebody waits for the chain.
  expect(looked).toEqual([true])
  await reading.close()
})
