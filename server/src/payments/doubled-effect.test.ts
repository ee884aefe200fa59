import { afterAll, beforeAll, expect, test } from 'vitest'
import { findInBooks } from '../doctor/books-store.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { claimEffects, findPayment } from './store.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a payment whose effect counts for another one stays as it is with its money, and stops nobody’s finality', async () => {
  const { store } = database
  const funds = ['native', TOKEN].map((asset) => ({ asset, amount: 100n }))
  const model = openModelChain(funds)
  const lane = await openTestLane(store, model, 71_021)
  const { network } = lane.chain.config
  const { accountId } = lane.wallet
  const at = model.tip()
  const order = { asset: TOKEN, feeCeiling: 1n, at }
  const sent = await lane.send([
    lane.prepare({ ...order, amount: 10n }),
    lane.prepare({ ...order, amount: 20n }),
  ])
  const [first, second] = sent.map((decision): PaymentId => {
    if (decision.kind !== 'committed') throw new Error(`not sent: ${decision.kind}`)
    return decision.payment.id
  })
  if (first === undefined || second === undefined) throw new Error('two were sent')
  const found = (id: PaymentId) =>
    store.inTransaction(accountId, (tx) => findPayment(tx, accountId, id))
  for (let block = 0; block < 2; block += 1) {
    model.mine({ deposits: [], take: 2, feePercent: 0, reverts: false })
    await lane.follow(1)
  }
  // What must never be: the effect of the first was counted for the second.
  const { transactionHash, logIndex, status } = (await found(first)) ?? {}
  expect(status).toBe('confirmed')
  if (!transactionHash) throw new Error('not seen on chain')
  const effect = { network, transactionHash, effectIndex: logIndex ?? 0, accountId }
  await store.inTransaction('service', (tx) =>
    claimEffects(tx, [{ ...effect, direction: 'sent', paymentId: second }], 0),
  )
  await lane.finalize(model.tip().height)
  expect((await found(first))?.status).toBe('confirmed')
  expect((await found(second))?.status).toBe('settled')
  const named = await store.inTransaction('service', findInBooks)
  expect(named.map(({ subject }) => subject)).toContain(first)
})
