import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A send of ten units of a token, and what its account was told of it. */
async function openSend(chainId: number) {
  const { store } = database
  const model = openModelChain(['native', TOKEN].map((asset) => ({ asset, amount: 100n })))
  const lane = await openTestLane(store, model, chainId)
  const order = { asset: TOKEN, feeCeiling: 1n, at: model.tip(), amount: 10n }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not sent')
  const told = async () => {
    const rows = await store.query<{ facts: string }>(
      'test_told_facts',
      'select facts::text as facts from outbox where account_id = $1 order by id',
      [sent.payment.accountId],
    )
    const lines = rows.flatMap(({ facts }) => facts.split('\n'))
    return lines.map((line) =>
      [/"status":"(\w+)"/, /"signature":("\w+"|null)/].map((part) => part.exec(line)?.[1]),
    )
  }
  return { lane, model, told, signature: JSON.stringify(sent.signed.hash) }
}

test('every event of a payment that we signed names the transaction that its record names', async () => {
  const { lane, model, told, signature } = await openSend(71_071)
  expect(await told()).toEqual([['pending', signature]])
  model.mine({ deposits: [], take: 1, feePercent: 0, reverts: false })
  await lane.follow(2)
  model.reorg(1, 0n, true)
  await lane.follow(2)
  expect(await told()).toEqual([
    ['pending', signature],
    ['confirmed', signature],
    ['pending', signature],
  ])
})

test('so does that of one which failed', async () => {
  const { lane, model, told, signature } = await openSend(71_072)
  model.mine({ deposits: [], take: 1, feePercent: 0, reverts: true })
  await lane.follow(2)
  await lane.finalize(model.tip().height)
  expect(await told()).toEqual([
    ['pending', signature],
    ['failed', signature],
  ])
})
