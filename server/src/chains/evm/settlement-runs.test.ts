import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { RUN_DATA_BYTES } from './run-code.ts'
import { openSettlementRuns } from './settlement-runs.ts'
import { draftOf, funded, openKnowing, readFrom, settle, startJudging } from './test-judging.ts'
import type { TestChain } from './test-chain.ts'
import { testPayer } from './test-payer.ts'

let world: TestChain
beforeAll(async () => {
  world = await startJudging()
})
afterAll(async () => {
  await world.sandbox.stop()
})

test('those who ask at once share a run, and each is judged as if it were alone', async () => {
  const scene = await openKnowing()
  const [payer, poor, used] = [await funded(), testPayer(), await funded()]
  const nonce = `0x${'6c'.repeat(32)}` as const
  await settle(scene, await readFrom(scene, used, { nonce }))
  scene.asked()
  // Two of what its payer has, each of which takes all of it; and one paid by who would be paid in the same call.
  const all = { amount: baseUnits(1_000_000n) }
  const paidOn = await readFrom(
    scene,
    payer,
    { ...all, to: poor.address },
    { ...all, payTo: poor.address },
  )
  const reads = [
    await readFrom(scene, await funded()),
    await readFrom(scene, payer, all, all),
    paidOn,
    await readFrom(scene, poor),
    await readFrom(scene, testPayer(), { from: payer.address }),
    await readFrom(scene, used, { nonce }),
  ]
  const from = scene.requests.length
  const drafts = await Promise.all(reads.map((read) => draftOf(scene, read)))
  expect(drafts.map((drafted) => (drafted.ok ? true : drafted.reason))).toEqual([
    ...[true, true, true],
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_signature',
    'invalid_exact_evm_nonce_already_used',
  ])
  expect(scene.requests[from]?.toSorted()).toEqual(['a run', 'code'])
  const asked = Object.groupBy(scene.asked(), (name) => name)
  expect(asked['a run']).toHaveLength(1)
  // Those that fail, and one that takes more than others took so far, since its receiver had nothing.
  expect(asked['an estimate']).toHaveLength(4)
})

test('a node that will not run them together has each estimated, which proves nothing', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const forged = await readFrom(scene, testPayer(), { from: payer.address })
  const good = await readFrom(scene, await funded())
  scene.node.refusesRuns = true
  const drafts = await Promise.all([forged, good].map((read) => draftOf(scene, read)))
  expect(drafts.map(({ ok }) => ok)).toEqual([false, true])
  expect(scene.asked()).toEqual(expect.arrayContaining(['an estimate', 'its state']))
})

/** A node that answers reads as they are put together, at the end of the turn. */
function openFakeNode(answerOf: (sharers: number) => 'ok' | 'down' = () => 'ok') {
  const calls: number[] = []
  let milliseconds = 0
  const runs = openSettlementRuns(
    {
      readLast: async <Value>(make: () => Read<Value>): Promise<Value> => {
        await new Promise((resolve) => setImmediate(resolve))
        const read = make()
        const [{ to, data } = {}] = read.params as readonly { to?: string; data?: string }[]
        const shared = (data?.split(SELECTOR) ?? []).slice(1)
        calls.push(shared.length)
        if (answerOf(shared.length) === 'down') throw new NodeFailure('too much')
        // The first byte behind the selector says what becomes of it.
        const flags = shared.map((entry) => entry.slice(0, 2)).join('')
        return read.parse(to === undefined ? `0x${flags}` : '0x')
      },
    },
    { nowMilliseconds: () => milliseconds },
  )
  const callOf = (flag: number) => {
    const data = Buffer.alloc(RUN_DATA_BYTES, 0x77)
    data.write(`${SELECTOR}0${flag}`, 'hex')
    return { to: addressFromBytes(new Uint8Array(20).fill(0x99)), value: 0n, data }
  }
  const pass = (by: number) => {
    milliseconds += by
  }
  return { runs, calls, callOf, pass }
}
const SELECTOR = 'e3ee160e'
const GAS = 100_000n
const settlerOf = (byte: number) => addressFromBytes(new Uint8Array(20).fill(byte))

test.each([
  [1, [1]],
  [64, [64]],
  [65, [64, 1]],
  [129, [64, 64, 1]],
])('%i share as few calls as they fit into, and each hears of its own', async (count, expected) => {
  const { runs, calls, callOf } = openFakeNode()
  const flags = Array.from({ length: count }, (_, index) => (index % 5 === 1 ? 0 : 1))
  const heard = await Promise.all(flags.map((flag) => runs.runs(settlerOf(1), callOf(flag), GAS)))
  expect(heard).toEqual(flags.map((flag) => flag === 1))
  expect(calls).toEqual(expected)
})

test('settlers share with their like, and what says neither yes nor no is that one’s alone', async () => {
  const { runs, calls, callOf } = openFakeNode()
  const asked = [
    runs.runs(settlerOf(1), callOf(1), GAS),
    runs.runs(settlerOf(2), callOf(0), GAS),
    runs.runs(settlerOf(1), callOf(2), GAS),
    runs.runs(settlerOf(2), callOf(1), GAS),
  ]
  const heard = await Promise.allSettled(asked)
  expect(heard.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    ...[true, false, 'failed', true],
  ])
  expect(calls).toEqual([2, 2])
})

test.each([null, '0x08c379a0', `0x${'0'.repeat(64)}`])(
  'a node that says %s of a lone run has not served it, so that the next one is asked',
  async (said) => {
    const readings: unknown[] = []
    const runs = openSettlementRuns(
      {
        readLast: async <Value>(make: () => Read<Value>): Promise<Value> => {
          await Promise.resolve()
          try {
            return make().parse(said)
          } catch (error) {
            readings.push(error)
            throw error
          }
        },
      },
      { nowMilliseconds: () => 0 },
    )
    const { callOf } = openFakeNode()
    await expect(runs.runs(settlerOf(1), callOf(1), GAS)).rejects.toThrow(NodeFailure)
    expect(readings).toEqual([expect.any(NodeFailure)])
  },
)

test('after a shared call that nobody answered each has its own for ten seconds', async () => {
  const { runs, calls, callOf, pass } = openFakeNode((sharers) => (sharers < 2 ? 'ok' : 'down'))
  const wave = () =>
    Promise.allSettled([1, 1, 1].map((flag) => runs.runs(settlerOf(1), callOf(flag), GAS)))
  expect((await wave()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect((await wave()).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'fulfilled'],
  ])
  pass(10_000)
  await wave()
  expect(calls).toEqual([3, 1, 1, 1, 3])
})

test('what is not run at all fails for whoever asks, and for nobody who shares', async () => {
  const { runs, callOf } = openFakeNode()
  const good = runs.runs(settlerOf(1), callOf(1), GAS)
  const { to } = callOf(1)
  await expect(
    runs.runs(settlerOf(1), { to, value: 0n, data: Buffer.alloc(68) }, GAS),
  ).rejects.toThrow('not run')
  await expect(runs.runs(settlerOf(1), callOf(1), 2n ** 32n)).rejects.toThrow('not run')
  expect(await good).toBe(true)
})
