import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import { asked } from './actors/batch-channel.ts'
import { aChannel } from './actors/batch-scene.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const DEPOSIT = 10_000n
const SEND = ['eth_sendRawTransaction']

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.sandbox.clearFaults())
afterAll(() => world.stop())

async function callsStored(): Promise<number> {
  const [row] = await world.database.store.query<{ n: string }>(
    'test_calls_stored',
    'select count(*) as n from escrow_calls',
  )
  return Number(row?.n)
}

test('a node that never takes a deposit leaves it pending with its hash, and the same call is a success later', async () => {
  const channel = await aChannel(world, 'cold')
  const body = asked(await channel.deposit('eip3009'), channel.terms())
  await world.sandbox.fault({ kind: 'fail', forward: false, answer: 'http-500', methods: SEND })
  const first = await world.client().post('/x402/settle', body)
  expect(first.body).toMatchObject({
    ...{ success: false, errorReason: 'settlement_pending' },
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) as unknown,
  })
  await world.sandbox.clearFaults()
  const again = await world.client().post('/x402/settle', body)
  expect(again.body).toMatchObject({ success: true, transaction: first.body['transaction'] })
  expect(await openEscrow(world.sandbox).channel(channel.id)).toEqual([DEPOSIT, 0n])
  await world.expectSound()
})

test('a node that is away once the deposit is stored leaves it pending, and the same call is a success later', async () => {
  const channel = await aChannel(world, 'warm')
  const body = asked(await channel.deposit('permit2'), channel.terms())
  const before = await callsStored()
  await world.sandbox.fault({ kind: 'stop-blocks' })
  const asking = world.client().post('/x402/settle', body)
  await until('it is stored', async () => (await callsStored()) > before, { seconds: 60 })
  await world.sandbox.fault({ kind: 'down', how: 'connection-reset' })
  const first = await asking
  expect(first.body).toMatchObject({ success: false, errorReason: 'settlement_pending' })
  await world.sandbox.clearFaults()
  const again = await world.client().post('/x402/settle', body)
  expect(again.body).toMatchObject({ success: true, transaction: first.body['transaction'] })
  expect(await openEscrow(world.sandbox).channel(channel.id)).toEqual([DEPOSIT, 0n])
  await world.expectSound()
})
