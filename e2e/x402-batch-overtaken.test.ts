import { createPublicClient, http } from 'viem'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { callOf, openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import { aKey, asked } from './actors/batch-channel.ts'
import { aChannel, settled } from './actors/batch-scene.ts'
import type { Asked } from './actors/batch-judges.ts'
import { stockWallet } from './actors/stock-facilitator.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const DEPOSIT = 10_000n
const GWEI = 1_000_000_000n

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.sandbox.clearFaults())
afterAll(() => world.stop())

const settle = (body: Asked) => world.client().post('/x402/settle', body)

/** The newest transaction by which a call was to be made. */
async function newestCall(): Promise<Hex | undefined> {
  const [row] = await world.database.store.query<{ hash: Hex }>(
    'test_newest_call',
    `select a.hash from escrow_calls c join attempts a using (chain_transaction_id)
     order by c.created_at desc, a.number desc limit 1`,
  )
  return row?.hash
}

/** Has the service ask for it, and the same, or other data, sent by a stranger who pays more for the same block. */
async function overtaken(body: Asked, data?: Hex) {
  const stranger = aKey()
  await world.sandbox.fund(stranger.address)
  const before = await newestCall()
  await world.sandbox.fault({ kind: 'stop-blocks' })
  const asking = settle(body)
  await until('it is stored', async () => (await newestCall()) !== before, { seconds: 60 })
  const own = (await newestCall()) ?? '0x'
  const chain = createPublicClient({ transport: http(world.sandbox.rpcUrl) })
  const pooled = () => chain.getTransaction({ hash: own }).catch(() => undefined)
  await until('the node has it', async () => (await pooled()) !== undefined, { seconds: 60 })
  const { to, input } = (await pooled()) ?? { to: null, input: '0x' as const }
  const others = await stockWallet(world.sandbox, stranger).sendTransaction({
    ...{ to, data: data ?? input, gas: 500_000n },
    ...{ maxFeePerGas: 900n * GWEI, maxPriorityFeePerGas: 90n * GWEI },
  })
  await world.sandbox.mine()
  await world.sandbox.clearFaults()
  const answer = await asking
  const statuses = await Promise.all(
    [own, others].map(async (hash) => (await chain.getTransactionReceipt({ hash })).status),
  )
  return { answer, own, others, statuses }
}

test('a deposit that a stranger was faster to make is a success, told once', async () => {
  const channel = await aChannel(world, 'cold')
  const body = asked(await channel.deposit('eip3009'), channel.terms())
  const { answer, others, statuses } = await overtaken(body)
  expect(statuses).toEqual(['reverted', 'success'])
  expect(await openEscrow(world.sandbox).channel(channel.id)).toEqual([DEPOSIT, 0n])
  expect(answer.body).toMatchObject({
    ...{ success: true, transaction: others, amount: `${DEPOSIT}` },
    extra: { channelState: { balance: `${DEPOSIT}` } },
  })
  expect((await settle(body)).body).toMatchObject({
    ...{ success: false, errorReason: 'duplicate_settlement', transaction: others },
  })
  await world.expectSound()
})

test('a refund that its payer was faster to make is told as what it gave back', async () => {
  const channel = await aChannel(world, 'cold')
  await settled(world, asked(await channel.deposit('eip3009'), channel.terms()))
  await settled(world, asked(await channel.refund(1_000n, 0n), channel.managerTerms()))
  const body = asked(await channel.refund(4_000n, 1n), channel.managerTerms())
  const { answer, others, statuses } = await overtaken(body)
  expect(statuses).toEqual(['reverted', 'success'])
  const told = {
    ...{ success: true, transaction: others, amount: '4000' },
    extra: { channelState: { balance: `${DEPOSIT - 5_000n}`, refundNonce: '2' } },
  }
  expect(answer.body).toMatchObject(told)
  expect((await settle(body)).body).toMatchObject(told)
  // Also when others have come behind it.
  await settled(world, asked(await channel.refund(500n, 2n), channel.managerTerms()))
  expect((await settle(body)).body).toMatchObject({ transaction: others, amount: '4000' })
  await world.expectSound()
})

test('a refund whose claim was left out by whoever was faster is no success: what is unclaimed is still the seller’s', async () => {
  const channel = await aChannel(world, 'cold')
  await settled(world, asked(await channel.deposit('eip3009'), channel.terms()))
  const refund = await channel.refund(6_000n, 0n, [await channel.row(4_000n)])
  const body = asked(refund, channel.managerTerms())
  const signature = String(refund['refundAuthorizerSignature']) as Hex
  const alone = callOf.refundWithSignature(channel.config, 6_000n, 0n, signature)
  const { answer, statuses } = await overtaken(body, alone)
  expect(statuses).toEqual(['reverted', 'success'])
  expect(await openEscrow(world.sandbox).channel(channel.id)).toEqual([4_000n, 0n])
  // The stock server forgets a channel, vouchers and all, in which a success leaves no more than was charged.
  expect(answer.body).toMatchObject({
    ...{ success: false, errorReason: 'invalid_batch_settlement_evm_refund_transaction_failed' },
  })
  expect((await settle(body)).body).toMatchObject({ success: false })
  const claim = asked(await channel.claim([await channel.row(4_000n)]), channel.managerTerms())
  await settled(world, claim)
  // By now all that it was to do is done.
  expect((await settle(body)).body).toMatchObject({ success: true, amount: '6000' })
  await world.expectSound()
})

test('a refund with its claim that somebody else was faster to make is told as a success', async () => {
  const channel = await aChannel(world, 'cold')
  await settled(world, asked(await channel.deposit('eip3009'), channel.terms()))
  const refund = await channel.refund(6_000n, 0n, [await channel.row(4_000n)])
  const { answer, others, statuses } = await overtaken(asked(refund, channel.managerTerms()))
  expect(statuses).toEqual(['reverted', 'success'])
  expect(answer.body).toMatchObject({
    ...{ success: true, transaction: others, amount: '6000' },
    extra: { channelState: { balance: '4000', totalClaimed: '4000' } },
  })
})
