import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { joinPayment } from './receive.ts'
import type { ReceiveDeps } from './receive.ts'
import { makeWallet, openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('settling a payment of one’s own that was sent is told from one that there is not', async () => {
  const { store } = database
  const model = openModelChain(['native', TOKEN].map((asset) => ({ asset, amount: 100n })))
  const lane = await openTestLane(store, model, 71_081)
  const order = { asset: TOKEN, feeCeiling: 1n, at: model.tip(), amount: 10n }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not sent')
  const { id, accountId } = sent.payment
  const deps: Partial<ReceiveDeps> = { store }
  const over = new AbortController().signal
  const settle = (by: AccountId, paymentId: string) => {
    const joining = { accountId: by, waitUntilMilliseconds: 0, over, once: null }
    return joinPayment(deps as ReceiveDeps, joining, paymentId).catch((error: unknown) => error)
  }
  const none = await settle(accountId, newId(systemRandom, 'pay'))
  expect(none).toMatchObject({ code: 'NOT_FOUND' })
  expect(await settle(accountId, id)).toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining(`GET /payment/status/${id}`),
  })
  const stranger = await makeWallet(store)
  expect(await settle(stranger.accountId, id)).toEqual(none)
})
