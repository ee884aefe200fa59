import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode } from '@florin/server/chains/json-rpc/test-node.ts'
import { until } from '@florin/server/kernel/until.ts'
import { readSamples } from '@florin/server/metrics/test-read.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const LANDS = { seconds: 40 }
/** Longer than a node that failed is left alone. */
const JUMP_SECONDS = 280
/** Less than half an hour together, and more. */
const [JUMPS_IN_TIME, JUMPS_TOO_LONG] = [5, 10]

let world: World
beforeAll(async () => {
  const gone = await startTestNode({})
  await gone.stop()
  world = await openWorld({
    ...{ solana: true, solanaNodesBeside: [gone.url], clockJumpSeconds: JUMP_SECONDS },
  })
})
afterAll(() => world.stop())

/** Calls to the second node that failed. */
async function failures(): Promise<number> {
  const samples = readSamples(await (await fetch(world.service().metricsUrl)).text())
  return samples
    .filter(
      ({ name, labels }) =>
        name === 'florin_node_calls_total' &&
        labels['node'] === '2' &&
        labels['outcome'] === 'failure',
    )
    .reduce((sum, { value }) => sum + value, 0)
}

/** The service's clock goes on, and the second node is asked once more, so many times. */
async function pass(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const before = await failures()
    process.kill(world.service().pid, 'SIGUSR2')
    await until('it is asked again', async () => (await failures()) > before, LANDS)
  }
}

test('a payment that expired does not wait for ever for a node where nobody listens, and is paid once', async () => {
  const recipient = world.newAddress('solana')
  await world.sandbox.fault({ chain: 'solana', kind: 'drop' })
  const { body } = await world.client().post('/payment/send', {
    ...{ walletAddress: walletOf(world, 0, 'solana'), recipientAddress: recipient },
    ...{ amount: '0.01', waitFor: 'submitted' },
  })
  const record = async () =>
    (await world.client().get(`/payment/status/${String(body['paymentId'])}`)).body
  const attempts = async () => ((await record())['attempts'] as unknown[]).length
  await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
  const { log } = world.service()
  const logs = (what: string) => async () => log.some((line) => line.includes(what))
  await until('it is past its time', logs('wait until every node'), LANDS)
  await pass(JUMPS_IN_TIME)
  expect(await attempts()).toBe(1)
  await pass(JUMPS_TOO_LONG)
  await until('it is logged', logs('do not wait for a silent node'), LANDS)
  await until('a second attempt was stored', async () => (await attempts()) === 2, LANDS)
  await world.sandbox.clearFaults()
  await until('it is settled', async () => (await record())['status'] === 'settled', LANDS)
  expect(await attempts()).toBe(2)
  expect(await world.balanceOf(recipient)).toBe(10_000_000n)
})
