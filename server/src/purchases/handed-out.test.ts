import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutboundOutcome } from '../outbound/outbound.ts'
import { findPayment } from '../payments/store.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { noWaits } from '../payments/test-waits.ts'
import type { Waits } from '../payments/wait.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { showPayment } from './show-payment.ts'
import { findPurchase } from './store.ts'
import { aPurchase } from './test-purchase.ts'

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

function says(status: number, receipt?: object): OutboundOutcome {
  const headers = new Map([['location', `https://files.example/${status}`]])
  const text = receipt && Buffer.from(JSON.stringify(receipt)).toString('base64')
  if (text !== undefined) headers.set('payment-response', text)
  return { kind: 'answered', status, headers, body: new Uint8Array() }
}

/** A purchase whose seller answers so, and so when it is shown the payment again. */
async function twiceShown(chainId: number, answers: readonly [OutboundOutcome, OutboundOutcome]) {
  const { store } = database
  const { chain, deps, purchase } = await aPurchase({ store, reading }, chainId, 7n)
  const { accountId, paymentId } = purchase
  const waits: Waits = {
    until: () => store.inTransaction(accountId, (tx) => findPayment(tx, accountId, paymentId)),
    ...noWaits,
    count: () => 0,
  }
  const [first, second] = answers
  const [shown, looks]: [OutboundOutcome[], number[]] = [[], []]
  const turn = () => ({
    ask: async () => {
      const answer = shown.length === 0 ? first : second
      shown.push(answer)
      return answer
    },
    end: () => undefined,
  })
  const lookUntilPaid = async () => void looks.push(shown.length)
  const ask = () =>
    showPayment(
      { store, waits, sellers: { turn }, lookUntilPaid, clock: deps.clock, killPoint: () => {} },
      {
        ...{ chain, accountId, paymentId, waitOver: new AbortController().signal },
        request: { method: 'GET', url: purchase.url, headers: {} },
      },
    )
  const went = [await ask(), await ask()].map(({ answer }) => answer?.status)
  const stored = await store.inTransaction(accountId, (tx) =>
    findPurchase(tx, accountId, paymentId),
  )
  return { went, shown: shown.length, looks, isDelivered: stored?.isDelivered }
}

const SETTLED = { success: true, transaction: '0xabc' }

test.each([301, 302, 303, 307, 308])(
  'an address that was sold, by %d with the seller’s word that it was paid, is kept for whoever asks again',
  async (status) => {
    const { went, shown, looks, isDelivered } = await twiceShown(72_100 + status, [
      says(status, SETTLED),
      says(409),
    ])
    expect({ went, shown, isDelivered }).toEqual({
      ...{ went: [status, status], shown: 1, isDelivered: true },
    })
    expect(looks).toEqual([1, 1])
  },
)

test.each([
  ['without a word of money', undefined],
  ['that says it took nothing', { success: false, errorReason: 'insufficient_funds' }],
] as const)('a detour %s is no delivery, and the payment is shown again', async (_, receipt) => {
  const chainId = receipt === undefined ? 72_501 : 72_502
  const twice = await twiceShown(chainId, [says(302, receipt), says(200)])
  expect(twice).toEqual({ went: [302, 200], shown: 2, looks: [2], isDelivered: true })
})

test('of a seller that fails and says that it was paid the chain is asked', async () => {
  const twice = await twiceShown(72_503, [says(500, SETTLED), says(500)])
  expect(twice).toEqual({ went: [500, 500], shown: 2, looks: [1], isDelivered: false })
})

test('of a seller whose answer is too long to be kept the chain is asked, and not of one that gave none', async () => {
  const failed = (reason: 'body_too_long' | 'not_connected'): OutboundOutcome => ({
    ...{ kind: 'failed', reason, mayHaveArrived: true },
  })
  const twice = await twiceShown(72_504, [failed('body_too_long'), failed('not_connected')])
  expect(twice).toEqual({
    ...{ went: [undefined, undefined], shown: 2, looks: [1], isDelivered: false },
  })
})
