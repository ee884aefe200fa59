import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode } from '@florin/server/chains/json-rpc/test-node.ts'
import { until } from '@florin/server/kernel/until.ts'
import { readSamples } from '@florin/server/metrics/test-read.ts'
import { sendSwallowed } from './actors/swallowed-payment.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const LANDS = { seconds: 40 }
/** Longer than a node that failed is left alone. */
const JUMP_SECONDS = 280
/** Less than half an hour together. */
const JUMPS_IN_TIME = 5
/** Many times half an hour: a jump does not count when the second node fails again before the first has spoken. */
const JUMPS_MAX = 60

let world: World
beforeAll(async () => {
  const gone = await startTestNode({})
  await gone.stop()
  world = await openWorld({
    ...{ solana: true, solanaNodesBeside: [gone.url], clockJumpSeconds: JUMP_SECONDS },
  })
})
afterAll(() => world.stop())

/** Calls to a node that ended so. */
async function calls(asked: { node: string; outcome: string }): Promise<number> {
  const samples = readSamples(await (await fetch(world.service().metricsUrl)).text())
  return samples
    .filter(
      ({ name, labels }) =>
        name === 'florin_node_calls_total' &&
        labels['node'] === asked.node &&
        labels['outcome'] === asked.outcome,
    )
    .reduce((sum, { value }) => sum + value, 0)
}

/** Until another call to the node has ended so, after something was done. */
async function another(
  asked: { node: string; outcome: string },
  done: () => void = () => undefined,
): Promise<void> {
  const before = await calls(asked)
  done()
  await until(`node ${asked.node} is asked again`, async () => (await calls(asked)) > before, LANDS)
}

/** The service's clock goes on, the second node is asked once more, and the first one speaks. */
async function pass(): Promise<void> {
  await another({ node: '2', outcome: 'failure' }, () => {
    process.kill(world.service().pid, 'SIGUSR2')
  })
  await another({ node: '1', outcome: 'result' })
}

test('a payment that expired does not wait for ever for a node where nobody listens, and is paid once', async () => {
  const { recipient, record, attempts } = await sendSwallowed(world)
  const { log } = world.service()
  const logs = (what: string) => () => log.some((line) => line.includes(what))
  await until('it is past its time', logs('wait until every node'), LANDS)
  for (let jump = 0; jump < JUMPS_IN_TIME; jump += 1) await pass()
  expect(await attempts()).toBe(1)
  const isSilent = logs('do not wait for a silent node')
  let jumps = JUMPS_IN_TIME
  while (!isSilent() && jumps < JUMPS_MAX) {
    await pass()
    jumps += 1
  }
  await until('it is logged', isSilent, LANDS)
  await until('a second attempt was stored', async () => (await attempts()) === 2, LANDS)
  await world.sandbox.clearFaults()
  await until('it is settled', async () => (await record())['status'] === 'settled', LANDS)
  expect(await attempts()).toBe(2)
  expect(await world.balanceOf(recipient)).toBe(10_000_000n)
})
