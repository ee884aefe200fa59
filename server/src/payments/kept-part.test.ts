import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Outcome, TransactionHash } from '../chains/chain.ts'
import { claimTransfer } from '../facilitator/claim-transfer.ts'
import { watchClaims } from '../facilitator/watch.ts'
import type { WatchDeps } from '../facilitator/watch.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Hold } from '../ledger/entry.ts'
import { openHolds } from '../ledger/store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Payment } from './payment.ts'
import { findPayment } from './store.ts'
import { recordsOf } from './test-claims.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

type Transfers = Extract<Outcome, { state: 'mined' }>['transfers']
const COLLECTOR = '0x00000000000000000000000000000000000000fe' as Address
const AMOUNT = 10n
const remark = { reason: 'recipient_got_less' }

/** A send of 10 units of a token that keeps as much of them as `keeps` says. */
async function openSend(chainId: number, keeps: { part: bigint }) {
  const { store } = database
  const model = openModelChain(['native', TOKEN].map((asset) => ({ asset, amount: 100n })))
  const divided = (transfers: Transfers): Transfers =>
    transfers.flatMap((whole) => [
      { ...whole, amount: whole.amount - keeps.part },
      ...(keeps.part === 0n
        ? []
        : [{ ...whole, to: COLLECTOR, amount: keeps.part, logIndex: whole.logIndex + 1 }]),
    ])
  const outcome = (hash: TransactionHash): Outcome => {
    const told = model.outcome(hash)
    return told.state === 'mined' ? { ...told, transfers: divided(told.transfers) } : told
  }
  const lane = await openTestLane(store, { ...model, outcome }, chainId)
  const order = { asset: TOKEN, feeCeiling: 1n, at: model.tip(), amount: AMOUNT }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not sent')
  const { id, accountId } = sent.payment
  return {
    lane,
    model,
    mine: async () => {
      model.mine({ deposits: [], take: 1, feePercent: 0, reverts: false })
      await lane.follow(2)
    },
    record: async (): Promise<Payment | undefined> =>
      await store.inTransaction(accountId, (tx) => findPayment(tx, accountId, id)),
    holds: async (): Promise<readonly Hold[]> =>
      await store.inTransaction('service', (tx) => openHolds(tx, [id])),
    told: async (): Promise<string> => {
      const rows = await store.query<{ facts: string }>(
        'test_told_facts',
        'select facts::text as facts from outbox where account_id = $1 order by id',
        [accountId],
      )
      return rows.map(({ facts }) => facts).join('\n')
    },
  }
}

test('a send of which the token keeps a part is settled, and said to have brought less', async () => {
  const send = await openSend(71_041, { part: 1n })
  await send.mine()
  expect(await send.record()).toMatchObject({ status: 'confirmed', remark })
  await send.lane.finalize(send.model.tip().height)
  expect(await send.record()).toMatchObject({ status: 'settled', amount: AMOUNT, remark })
  expect(await send.holds()).toEqual([])
  expect((await send.told()).match(/recipient_got_less/g)).toHaveLength(2)
})

test('in another block the token may keep nothing: then nothing is remarked', async () => {
  const keeps = { part: 1n }
  const send = await openSend(71_042, keeps)
  await send.mine()
  send.model.reorg(1, 0n, true)
  await send.lane.follow(2)
  const again = await send.record()
  expect(again).toMatchObject({ status: 'pending' })
  expect(again?.remark).toBeUndefined()
  keeps.part = 0n
  await send.mine()
  const found = await send.record()
  expect(found).toMatchObject({ status: 'confirmed' })
  expect(found?.remark).toBeUndefined()
})

test('a seller who was shown it whole, in a block that was left, is not paid by a part of it', async () => {
  const keeps = { part: 0n }
  const send = await openSend(71_044, keeps)
  const { config } = send.lane.chain
  await send.mine()
  const sent = await send.record()
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (sent === undefined || asset === undefined) throw new Error('nothing was sent')
  const { store } = database
  const records = recordsOf(store, config)
  const { accountId } = sent
  const paymentId = newId(systemRandom, 'pay')
  let now = systemClock.nowMilliseconds()
  const watching: Partial<WatchDeps> = {
    ...{ store, records, log: openLog('silent') },
    clock: { ...systemClock, nowMilliseconds: () => (now += 60_000) },
  }
  const told = async () => {
    const chain = { ...send.lane.chain, parseAddress: () => undefined }
    await watchClaims(watching as WatchDeps, chain, 0n)
    const found = await store.inTransaction(accountId, (tx) =>
      findPayment(tx, accountId, paymentId),
    )
    return found?.status
  }
  const terms = { paymentId, accountId, network: config, asset, amount: sent.amount }
  const ends = { payer: sent.sender, payTo: sent.recipient, resource: null }
  const claim = {
    ...{ paymentId, accountId, network: config.network, commitment: new Uint8Array(32) },
    ...{ termsDigest: new Uint8Array(32), x402Version: 2 as const, sentId: sent.id },
    isFollowed: false,
  }
  await store.inTransaction('service', async (tx) => {
    await claimTransfer(tx, claim, now)
    await records.open(tx, { ...terms, ...ends })
  })
  expect(await told()).toBe('confirmed')
  send.model.reorg(1, 0n, true)
  await send.lane.follow(2)
  keeps.part = 1n
  await send.mine()
  expect(await send.record()).toMatchObject({ status: 'confirmed', remark })
  expect(await told()).toBe('pending')
  await send.lane.finalize(send.model.tip().height)
  expect(await told()).toBe('failed')
  expect(await send.record()).toMatchObject({ status: 'settled', remark })
})

test('what keeps all of it has moved nothing to anybody who was to have it', async () => {
  const send = await openSend(71_043, { part: AMOUNT })
  await send.mine()
  await send.lane.finalize(send.model.tip().height)
  expect(await send.record()).toMatchObject({ status: 'failed', failure: { reason: 'no_effect' } })
})
