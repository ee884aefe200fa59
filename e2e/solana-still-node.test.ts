import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { readSamples } from '@florin/server/metrics/test-read.ts'
import { startFrozenNode } from './actors/frozen-node.ts'
import type { FrozenNode } from './actors/frozen-node.ts'
import { sendSwallowed } from './actors/swallowed-payment.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const LANDS = { seconds: 40 }
/** Less than what counts between two looks, and so many less than half an hour together. */
const JUMP_SECONDS = 280
const JUMPS_IN_TIME = 5
const JUMPS_MAX = 60
/** So many more in each, since another one has to have gone on by some hundreds; fewer than the sandbox keeps. */
const BLOCKS = 50

let world: World
let frozen: FrozenNode
beforeAll(async () => {
  world = await openWorld({ solana: true })
  await world.service().stop()
  frozen = await startFrozenNode(world.sandbox.solana.rpcUrl)
  await world.start({ solanaNodesBeside: [frozen.url], clockJumpSeconds: JUMP_SECONDS })
})
afterAll(async () => {
  await world.stop()
  await frozen.stop()
})

/** Results of a method that the second node has given. It is behind, and so asked nothing but what all are. */
async function told(method: string): Promise<number> {
  const samples = readSamples(await (await fetch(world.service().metricsUrl)).text())
  return samples
    .filter(
      ({ name, labels }) =>
        name === 'florin_node_calls_total' &&
        labels['node'] === '2' &&
        labels['method'] === method &&
        labels['outcome'] === 'result',
    )
    .reduce((sum, { value }) => sum + value, 0)
}

async function another(method: string, times: number, done = (): void => undefined) {
  const before = await told(method)
  done()
  const isTold = async () => (await told(method)) >= before + times
  await until(`the second node is asked ${method} again`, isTold, LANDS)
}

/** The service's clock goes on, and the nodes are looked at. */
const pass = () => another('getSlot', 1, () => void process.kill(world.service().pid, 'SIGUSR2'))

test('a payment that expired does not wait for ever for a node that stands still, and is paid once', async () => {
  const { log } = world.service()
  const logs = (what: string) => () => log.some((line) => line.includes(what))
  await until('the second node is behind', logs('a node is behind'), LANDS)
  const { recipient, record, attempts } = await sendSwallowed(world)
  for (let jump = 0; jump < JUMPS_IN_TIME; jump += 1) await pass()
  await another('getSignatureStatuses', 3)
  expect(await attempts()).toBe(1)
  const stands = logs('do not wait for a node that stands still')
  expect(stands()).toBe(false)
  let jumps = JUMPS_IN_TIME
  while (!stands() && jumps < JUMPS_MAX) {
    await world.sandbox.fault({ chain: 'solana', kind: 'mine', blocks: BLOCKS })
    await pass()
    jumps += 1
  }
  await until('it is logged', stands, LANDS)
  await until('a second attempt was stored', async () => (await attempts()) === 2, LANDS)
  await world.sandbox.clearFaults()
  await until('it is settled', async () => (await record())['status'] === 'settled', LANDS)
  expect(await attempts()).toBe(2)
  expect(await world.balanceOf(recipient)).toBe(10_000_000n)
})
