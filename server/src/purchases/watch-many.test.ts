import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Chain, Draft } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { AuthorizationState, ExactAuthorization, ExactPayments } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { EVM, openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { PurchaseBook } from './book.ts'
import { commitPurchase } from './commit.ts'
import type { Signing } from './commit.ts'
import { noteLooks, putAside, silentPurchases } from './live-store.ts'
import { countSilent, insertPurchase, isCrowded, ProofTaken, takeExchange } from './store.ts'
import { watchPurchases } from './watch.ts'

const FIRST_CHAIN = 71_900
const START = Date.UTC(2026, 8, 21)
let chains = 0

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

function aNetwork(): NetworkConfig {
  chains += 1
  return testNetwork(FIRST_CHAIN + chains)
}

/** Purchases of one new account, signed one after the other from a moment on. */
async function buyer({ network }: NetworkConfig, count: number, fromMilliseconds: number) {
  const { store } = database
  const wallet = await makeWallet(store)
  const { accountId, id: walletId } = wallet
  const payments = Array.from({ length: count }, () =>
    reading.payment({ accountId, walletId, network, asset: TOKEN }),
  )
  await reading.store(payments)
  const purchases = payments.map(({ id, amount }) => ({
    ...{ paymentId: id, accountId, walletId, network, looks: 0 },
    stored: { token: TOKEN, from: EVM, to: RECIPIENT, value: `${amount}` },
    ...{ url: 'https://shop.example/report', requestDigest: systemRandom.bytes(32) },
    ...{ proofKey: proofKey(id), validBeforeSeconds: 2n ** 40n, feePayer: null },
    ...{ lastValidBlockHeight: null, sinceHeight: 5n, headerName: 'X-PAYMENT' as const },
    ...{ header: 'proof', askingUntilMilliseconds: null, shown: 0, answer: null },
    isDelivered: false,
  }))
  await store.inTransaction(accountId, async (tx) => {
    for (const [index, purchase] of purchases.entries()) {
      await insertPurchase(tx, purchase, fromMilliseconds + index)
    }
  })
  return { wallet, accountId, purchases, paymentIds: payments.map(({ id }) => id) }
}

function chainOf(
  config: NetworkConfig,
  finalState: (authorization: ExactAuthorization) => Promise<AuthorizationState>,
): Chain {
  const exact: Partial<ExactPayments> = { finalState, check: async () => ({ ok: true }) }
  return scriptedChain(config, {
    parseAddress: (text) => text as Address,
    exact: exact as ExactPayments,
  })
}

const due = ({ network }: NetworkConfig) =>
  database.store.inTransaction('service', (tx) => silentPurchases(tx, network, START))

/** Watches once, a minute after the first was signed. */
function watch(chain: Chain, over: PurchaseBook['over']) {
  const book = { over } as Partial<PurchaseBook> as PurchaseBook
  const clock = { nowMilliseconds: () => START, sleep: async () => undefined }
  const deps = { store: database.store, log: openLog('silent'), clock, book }
  return watchPurchases(deps, chain, 0n)
}

test('who has more open than a round looks at delays no other buyer, and many are asked about together', async () => {
  const config = aNetwork()
  const most = limits.purchasesPerRoundMax
  await buyer(config, most + 20, START - 60_000)
  const late = await buyer(config, 3, START - 1_000)
  const round = await due(config)
  expect(round).toHaveLength(most)
  const places = late.paymentIds.map((id) => round.findIndex(({ paymentId }) => paymentId === id))
  expect(places).toEqual([1, 3, 5])

  let questions = 0
  let turn: Promise<unknown> | undefined
  const chain = chainOf(config, async () => {
    // Whoever asks in one turn of the loop shares the question.
    turn ??= new Promise((resolve) => {
      questions += 1
      setImmediate(resolve)
    }).then(() => (turn = undefined))
    await turn
    return 'open'
  })
  await watch(chain, async () => undefined)
  expect(questions).toBe(most / limits.purchasesPerReadMax)
  expect(await due(config)).toHaveLength(23)
})

test('one whose end cannot be written, or that nobody answers for, takes nothing from the others', async () => {
  const config = aNetwork()
  const { paymentIds } = await buyer(config, 4, START - 60_000)
  const [unwritable, unanswered]: readonly string[] = paymentIds
  const ended: PaymentId[] = []
  const chain = chainOf(config, async (authorization) => {
    const key: string = authorization.proofKey
    if (key === unanswered) throw new Error('no node answers')
    return 'expired'
  })
  await watch(chain, async (_, ids) => {
    if (ids.some((id) => id === unwritable)) throw new Error('its books do not agree')
    ended.push(...ids)
  })
  expect(ended.toSorted()).toEqual(paymentIds.slice(2).toSorted())
  // Each has had its look, and rests.
  expect(await due(config)).toEqual([])
})

test('the silent ones of an account are counted up to a bound, and nobody else’s', async () => {
  const config = aNetwork()
  const { accountId, paymentIds } = await buyer(config, 4, START)
  const { accountId: other } = await buyer(config, 2, START)
  const count = (whose: AccountId, most: number, url = 'https://SHOP.example/other') =>
    database.store.inTransaction(whose, (tx) =>
      countSilent(tx, { accountId: whose, network: config.network, url }, most),
    )
  expect(await count(accountId, 10)).toEqual({ all: 4, ofSeller: 4 })
  expect(await count(accountId, 3)).toEqual({ all: 3, ofSeller: 3 })
  expect(await count(other, 10, 'https://elsewhere.example/')).toEqual({ all: 2, ofSeller: 0 })
  // What was put aside stays as it is: nobody asks about it any more.
  await database.store.inTransaction('service', (tx) => putAside(tx, paymentIds.slice(0, 1)))
  expect(await count(accountId, 10)).toEqual({ all: 3, ofSeller: 3 })
})

test('an account with as many silent ones of a seller as it may have signs no other of that seller', async () => {
  const config = aNetwork()
  const { network } = config
  await database.store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 5n, hash: 'block 5' }),
  )
  const { wallet } = await buyer(config, limits.purchasesSilentOfSellerMax, START)
  const signingAt = (url: string) => {
    const signing: Partial<Signing> = {
      ...{ chain: chainOf(config, async () => 'open'), wallet, once: null, url },
      ...{ requestDigest: systemRandom.bytes(32), paymentId: newId(systemRandom, 'pay') },
      ...{ draft: { laneLatest: 0n } as Partial<Draft> as Draft, nowMilliseconds: START },
    }
    return database.store.inTransaction(wallet.accountId, (tx) =>
      commitPurchase(tx, signing as Signing),
    )
  }
  expect(await signingAt('https://shop.example/other')).toEqual({ kind: 'crowded' })
  // It goes on to what is to be paid, which this test leaves out.
  await expect(signingAt('https://elsewhere.example/')).rejects.toThrow(TypeError)
})

test('two wallets of an account that sign at the same moment keep to the bound together', async () => {
  const config = aNetwork()
  const { store } = database
  const { accountId, purchases } = await buyer(config, limits.purchasesSilentOfSellerMax - 1, START)
  const [first] = purchases
  if (first === undefined) throw new Error('no purchase')
  const payment = reading.payment({ accountId, network: config.network, asset: TOKEN })
  await reading.store([payment])
  const last = {
    ...{ ...first, paymentId: payment.id, proofKey: proofKey(payment.id) },
    requestDigest: systemRandom.bytes(32),
  }
  let isThrough = false
  let second: Promise<boolean> | undefined
  const own = await store.inTransaction(accountId, async (tx) => {
    const isFull = await isCrowded(tx, first)
    second = store.inTransaction(accountId, (other) => isCrowded(other, first))
    void second.catch(() => undefined).then(() => (isThrough = true))
    const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`
    const isWaiting = async () => (await store.query('test_waiting', waiting)).length > 0
    await until('it waits or is through', async () => isThrough || (await isWaiting()), {
      seconds: 30,
    })
    await insertPurchase(tx, last, START)
    return isFull
  })
  expect([own, await second]).toEqual([false, true])
})

test('two that are the same to the letter are not both signed', async () => {
  const config = aNetwork()
  const { accountId, purchases } = await buyer(config, 1, START)
  const [first] = purchases
  const payment = reading.payment({ accountId, network: config.network, asset: TOKEN })
  await reading.store([payment])
  if (first === undefined) throw new Error('no purchase')
  const twin = { ...first, paymentId: payment.id, requestDigest: systemRandom.bytes(32) }
  await expect(
    database.store.inTransaction(accountId, (tx) => insertPurchase(tx, twin, START)),
  ).rejects.toThrow(ProofTaken)
})

test('a look that is noted leaves alone what was put aside, taken back or is held since it was read', async () => {
  const config = aNetwork()
  const { paymentIds } = await buyer(config, 4, START)
  const [aside, again, held, rests] = paymentIds
  if (!aside || !again || !held || !rests) throw new Error('no purchases')
  const { store } = database
  const looks = paymentIds.map((paymentId) => ({
    ...{ paymentId, looks: 0, lookAtMilliseconds: START + 60_000 },
  }))
  await store.inTransaction('service', (tx) => putAside(tx, [aside]))
  await store.inTransaction('service', (tx) =>
    noteLooks(tx, [{ paymentId: again, looks: 0, lookAtMilliseconds: START }]),
  )
  await store.inTransaction('service', async (tx) => {
    await tx.query('test_hold', 'select from purchases where payment_id = $1 for update', [held])
    // It waits for nobody.
    await store.inTransaction('service', (other) => noteLooks(other, looks))
  })
  const dueIds = (await due(config)).map(({ paymentId }) => paymentId)
  expect(dueIds.toSorted()).toEqual([again, held].toSorted())
})

test('one whose next look was noted before a clock was set back is due', async () => {
  const config = aNetwork()
  const { paymentIds } = await buyer(config, 3, START - 1_000)
  const [soon, back] = paymentIds
  if (!soon || !back) throw new Error('no purchases')
  const { store } = database
  const look = (paymentId: PaymentId, lookAtMilliseconds: number) =>
    store.inTransaction('service', (tx) =>
      noteLooks(tx, [{ paymentId, looks: 0, lookAtMilliseconds }]),
    )
  await look(soon, START + limits.purchaseLookSecondsMax * 1000)
  await look(back, START + 3_600_000)
  await store.inTransaction('service', (tx) => putAside(tx, paymentIds.slice(2)))
  expect((await due(config)).map(({ paymentId }) => paymentId)).toEqual([back])
})

test('a seller that was asked before a clock was set back is asked no longer, and one by another instance’s clock is', async () => {
  const { purchases } = await buyer(aNetwork(), 1, START - 1_000)
  const [purchase] = purchases
  if (!purchase) throw new Error('no purchase')
  const ask = (now: number) =>
    database.store.inTransaction(purchase.accountId, (tx) =>
      takeExchange(tx, purchase, now, now + limits.fetchExchangeSeconds * 1000),
    )
  const { paymentId } = purchase
  expect(await ask(START + 3_600_000)).toMatchObject({ paymentId, shown: 1 })
  expect(await ask(START + 3_600_000 - limits.clockAheadSeconds * 1000)).toBeUndefined()
  expect(await ask(START)).toMatchObject({ paymentId, shown: 2 })
})
