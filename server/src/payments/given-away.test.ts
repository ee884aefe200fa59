import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Outcome, TransactionHash } from '../chains/chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { findPayment } from './store.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

type Mined = Extract<Outcome, { state: 'mined' }>
const STRANGER = '0x00000000000000000000000000000000000000fe' as Address

/** What becomes of a send of 10 units, where its transaction is shown as something else. */
async function statusOf(chainId: number, shown: (mined: Mined) => Mined): Promise<unknown> {
  const payment = await paymentOf(chainId, shown)
  return payment?.failure?.reason ?? payment?.status
}

async function paymentOf(chainId: number, shown: (mined: Mined) => Mined) {
  const { store } = database
  const funds = ['native', TOKEN].map((asset) => ({ asset, amount: 100n }))
  const model = openModelChain(funds)
  const outcome = (hash: TransactionHash) => {
    const told = model.outcome(hash)
    return told.state === 'mined' ? shown(told) : told
  }
  const lane = await openTestLane(store, { ...model, outcome }, chainId)
  const { accountId } = lane.wallet
  const order = { asset: TOKEN, feeCeiling: 1n, at: model.tip(), amount: 10n }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not sent')
  model.mine({ deposits: [], take: 1, feePercent: 0, reverts: false })
  await lane.follow(1)
  await lane.finalize(model.tip().height)
  const { id } = sent.payment
  return store.inTransaction(accountId, (tx) => findPayment(tx, accountId, id))
}

const toStranger = (mined: Mined): Mined => ({
  ...mined,
  transfers: mined.transfers.map((transfer) => ({ ...transfer, to: STRANGER })),
})

test('what came to the account that was signed for is paid, whoever owns it by now', async () => {
  const given = (mined: Mined): Mined => ({ ...toStranger(mined), paysAccounts: true })
  expect(await statusOf(71_031, given)).toBe('settled')
})

test('where an address is its own account, a transfer to another one is none', async () => {
  expect(await statusOf(71_032, toStranger)).toBe('no_effect')
})

test('another amount of it, or what another wallet gave, is none either', async () => {
  const less = (mined: Mined): Mined => ({
    ...mined,
    transfers: toStranger(mined).transfers.map((each) => ({ ...each, amount: each.amount - 1n })),
    paysAccounts: true,
  })
  expect(await statusOf(71_033, less)).toBe('no_effect')
  const others = (mined: Mined): Mined => ({
    ...mined,
    transfers: mined.transfers.map((transfer) => ({ ...transfer, from: STRANGER })),
    paysAccounts: true,
  })
  expect(await statusOf(71_034, others)).toBe('no_effect')
})

test('what came to the account that was signed for has left the wallet, and pays nobody where that account is the wallet’s own by now', async () => {
  const back = (mined: Mined): Mined => ({
    ...mined,
    transfers: mined.transfers.map((transfer) => ({ ...transfer, to: transfer.from })),
    paysAccounts: true,
  })
  const payment = await paymentOf(71_035, back)
  expect(payment).toMatchObject({ status: 'settled', remark: { reason: 'recipient_got_less' } })
  const given = (mined: Mined): Mined => ({ ...toStranger(mined), paysAccounts: true })
  expect((await paymentOf(71_036, given))?.remark).toBeUndefined()
})
