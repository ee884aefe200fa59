import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { requireAddress } from '../chains/evm/account.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { testNetwork, USDC } from '../chains/evm/test-network.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { OutboundOutcome } from '../outbound/outbound.ts'
import { findPayment } from '../payments/store.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { noWaits } from '../payments/test-waits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { openSellers } from './ask-seller.ts'
import { fetchPaid } from './fetch.ts'
import { showPayment } from './show-payment.ts'
import { aPurchase } from './test-purchase.ts'

let database: TestDatabase
/** The scenes of both kinds of test name statements of their own alike. */
let ofPurchases: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  ofPurchases = await openTestDatabase()
  reading = await openReading(ofPurchases.store)
})
afterAll(async () => {
  await reading.close()
  await ofPurchases.close()
  await database.close()
})

const never = new AbortController().signal
const killPoint = () => undefined
const tooLong = (status: number): OutboundOutcome => ({
  ...{ kind: 'failed', reason: 'body_too_long', mayHaveArrived: true },
  head: { status, headers: new Map([['content-length', '5000000']]) },
})

/** A wallet that asks a seller who says always the same. */
async function buyer(isKnown: boolean) {
  const { store } = database
  const walletAddress = requireAddress(`0x${Buffer.from(systemRandom.bytes(20)).toString('hex')}`)
  const { accountId } = await storeTestWallet(store, walletAddress)
  const config = testNetwork(['http://127.0.0.1:1'])
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock, callSeconds: 1 })
  let asked = 0
  const deps = {
    ...{ store, clock: systemClock, random: systemRandom, killPoint },
    sellers: openSellers({
      request: async () => {
        asked += 1
        return tooLong(200)
      },
    }),
    lookUntilPaid: async () => undefined,
    waits: { ...noWaits, until: async () => undefined, count: () => 0 },
    signerFor: () => Promise.reject(new Error('nothing is signed here')),
    tooLong: { note: () => undefined, isKnown: () => isKnown },
  }
  const order = {
    ...{ accountId, chain, walletAddress, asset: USDC, ceiling: baseUnits(100n) },
    ...{ request: { method: 'GET', url: 'https://shop.example/film', headers: {} } as const },
    ...{ metadataText: null, once: null, clientGone: never, waitOver: never },
    demandAdmitted: async () => undefined,
  }
  const refusal: unknown = await fetchPaid(deps, order).catch((error: unknown) => error)
  return { refusal, asked }
}

const refused = { code: 'PAYMENT_VERIFICATION_FAILED', details: { reason: 'answer_too_long' } }

test('a seller whose answer is too long without a payment is no network that is away', async () => {
  const { refusal, asked } = await buyer(false)
  expect(refusal).toMatchObject(refused)
  expect(asked).toBe(1)
})

test('what was paid for and too long to hand on is not paid for again', async () => {
  const { refusal, asked } = await buyer(true)
  expect(refusal).toMatchObject(refused)
  expect(asked).toBe(0)
})

test.each([
  ['is remembered where the seller handed it out', 200, true],
  ['is not where it refused', 402, false],
])('an answer that is too long tells its head, and %s', async (_, status, isNoted) => {
  const { store } = ofPurchases
  const { chain, deps, purchase } = await aPurchase({ store, reading }, 72_600 + status, 7n)
  const { accountId, paymentId, requestDigest, url } = purchase
  const noted: Uint8Array[] = []
  const went = await showPayment(
    {
      ...{ store, clock: deps.clock, killPoint },
      sellers: { turn: () => ({ ask: async () => tooLong(status), end: () => undefined }) },
      lookUntilPaid: async () => undefined,
      waits: {
        ...noWaits,
        until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, paymentId)),
        count: () => 0,
      },
      tooLong: { note: (_account, digest) => void noted.push(digest) },
    },
    { chain, accountId, paymentId, waitOver: never, request: { method: 'GET', url, headers: {} } },
  )
  expect(went).toMatchObject({
    ...{ answer: null, problem: 'body_too_long' },
    lost: { status, headers: { 'content-length': '5000000' } },
  })
  expect(noted).toEqual(isNoted ? [requestDigest] : [])
})
