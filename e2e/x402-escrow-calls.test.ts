import { Florin } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asked } from './actors/batch-channel.ts'
import { aChannel, settled } from './actors/batch-scene.ts'
import { openClient } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

/** The client of sellers, for the service as it is running now. */
function calls() {
  const { baseUrl, apiKeys } = world.service()
  return new Florin({ baseUrl, apiKey: apiKeys.enterprise }).x402
}

/** The calls of a channel, oldest first, once all of them are final. */
async function finalCalls(channelId: string, count: number) {
  return until(
    `${count} calls are final`,
    async () => {
      const page = await calls().escrowCallsPage({ channelId })
      return page.calls.filter(({ status }) => status === 'settled').length === count
        ? page.calls.toReversed()
        : undefined
    },
    { seconds: 90 },
  )
}

test('what was sent to the escrow is on record, with what it moved, and told of as it goes', async () => {
  const channel = await aChannel(world, 'cold')
  const manager = channel.managerTerms()
  await settled(world, asked(await channel.deposit('eip3009'), channel.terms()))
  await settled(world, asked(await channel.claim([await channel.row(3_000n)]), manager))
  await settled(world, asked(channel.sweep(), manager))
  await settled(world, asked(await channel.refund(500n, 0n, [await channel.row(4_000n)]), manager))
  const ofChannel = {
    ...{ network: 'eip155:84532', asset: world.sandbox.usdc, sandbox: true },
    ...{ payTo: channel.config.receiver, channelId: channel.id, channelCount: 1 },
    ...{ fee: expect.any(String), blockHeight: expect.any(Number), claimedAmount: null },
  }
  const [deposit, claim, refund] = await finalCalls(channel.id, 3)
  expect(deposit).toMatchObject({
    ...ofChannel,
    ...{ operation: 'deposit', payer: channel.payer.address },
    ...{ amount: '0.01', amountBaseUnits: '10000' },
  })
  expect(claim).toMatchObject({
    ...ofChannel,
    ...{ operation: 'claim', payer: null, amount: '0.003', amountBaseUnits: '3000' },
  })
  expect(refund).toMatchObject({
    ...ofChannel,
    ...{ operation: 'refund', payer: channel.payer.address, amountBaseUnits: '500' },
    ...{ claimedAmount: '0.001', claimedBaseUnits: '1000' },
  })
  const swept = []
  for await (const call of calls().escrowCalls({ operation: 'settle' })) swept.push(call)
  expect(swept).toMatchObject([
    {
      ...{ payTo: channel.config.receiver, payer: null, channelId: null, channelCount: 0 },
      ...{ amount: '0.003', amountBaseUnits: '3000' },
    },
  ])
  const { callId, transaction } = claim ?? {}
  expect(await calls().escrowCall(callId ?? '')).toMatchObject({
    ...{ callId, receivers: [channel.config.receiver], channelIds: [channel.id] },
  })
  expect((await calls().escrowCallsPage({ transaction: transaction ?? '' })).calls).toMatchObject([
    { callId },
  ])

  const { body } = await world.client().get('/events?limit=200')
  const told = (body['events'] as { type: string; channel: string; data: { callId?: string } }[])
    .filter(({ data }) => data.callId === callId)
    .map(({ type, channel: key, data }) => ({ type, key, ...data }))
  const said = { type: 'escrowCall', key: 'escrowCalls', operation: 'claim', sandbox: true }
  expect(told).toMatchObject([
    { ...said, status: 'pending', amount: null },
    { ...said, status: 'confirmed', amount: '0.003', transaction },
    { ...said, status: 'settled', amount: '0.003', transaction },
  ])
  await world.expectSound()
})

test('a call whose service was killed is on record before it is sent, and goes its way though nobody asks again', async () => {
  const channel = await aChannel(world, 'cold')
  const body = asked(await channel.deposit('eip3009'), channel.terms())
  const survivor = world.service()
  const doomed = await world.start({ killPoint: 'broadcast.before-node:1' })
  await openClient(doomed.baseUrl, doomed.apiKeys.enterprise)
    .post('/x402/settle', body)
    .catch(() => null)
  expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
  const { baseUrl, apiKeys } = survivor
  const client = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
  const { calls: stored } = await client.x402.escrowCallsPage({ channelId: channel.id })
  expect(stored).toMatchObject([{ operation: 'deposit', amountBaseUnits: '10000' }])
  await survivor.stop()
  await world.start()
  const [call] = await finalCalls(channel.id, 1)
  expect(call).toMatchObject({ callId: stored[0]?.callId, status: 'settled' })
  await world.expectSound()
})
