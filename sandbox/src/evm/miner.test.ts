import { afterEach, expect, test } from 'vitest'
import { until } from '../../../server/src/kernel/until.ts'
import type { Json } from '../host/json.ts'
import { startMiner } from './miner.ts'
import type { MinedNode, Miner } from './miner.ts'
import { openTraffic } from './traffic.ts'

const ROUND_MILLISECONDS = 100
const SOON = { seconds: 30 }

let miner: Miner | undefined
afterEach(async () => {
  await miner?.stop()
  miner = undefined
})

/** A node with a pool of transactions, whose saves take as long as the test likes. */
function scene() {
  const said = { pool: 0, blocks: 0, saves: 0, unsaved: 0 }
  let saving: Promise<void> = Promise.resolve()
  const call = async (method: string): Promise<Json> => {
    if (method === 'txpool_status') return { pending: said.pool }
    if (method === 'eth_blockNumber') return said.blocks
    if (method !== 'evm_mine') return { number: said.blocks, transactions: ['0x'] }
    said.blocks += 1
    said.unsaved += 1
    said.pool = 0
    return null
  }
  const node: MinedNode = {
    running: () => ({ client: { call } }),
    save: async () => {
      await saving
      said.saves += 1
      said.unsaved = 0
    },
    noteHead: () => undefined,
    unsavedBlocks: () => said.unsaved,
  }
  const time = { now: 0 }
  /** What the miner waited for, and what lets it go on. */
  const waits: { milliseconds: number; go(): void }[] = []
  const sleep = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
      waits.push({ milliseconds, go: resolve })
    })
  miner = startMiner(node, openTraffic(), () => undefined, {
    now: () => time.now,
    sleep,
  })
  const isAt = (text: string, count: number) => until(text, () => waits.length === count, SOON)
  return {
    said,
    time,
    waits,
    miner,
    isAt,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      saving = promise
      return resolve
    },
  }
}

test('a transaction that comes while a block is saved does not wait for its turn', async () => {
  const { said, time, waits, isAt, hold, miner } = scene()
  await isAt('it rests', 1)
  expect(waits[0]?.milliseconds).toBe(ROUND_MILLISECONDS)
  said.pool = 1
  const saved = hold()
  waits[0]?.go()
  await until('a block is made', () => said.blocks === 1, SOON)
  said.pool = 1
  miner.wake()
  time.now += 60
  saved()
  // Its turn, and beside it what lies between two blocks and no more.
  await isAt('it rests again', 3)
  expect(waits.slice(1).map(({ milliseconds }) => milliseconds)).toEqual([ROUND_MILLISECONDS, 40])
  waits[2]?.go()
  await until('the next block is made', () => said.blocks === 2, SOON)
})

test('a turn without a block saves no sooner than ten times what the last save took after it, and then it does', async () => {
  const { said, time, waits, isAt, hold } = scene()
  const turn = async () => {
    const before = waits.length
    waits.at(-1)?.go()
    await isAt('it rests again', before + 1)
  }
  await isAt('it rests', 1)
  said.pool = 1
  const saved = hold()
  waits[0]?.go()
  await until('a block is made', () => said.blocks === 1, SOON)
  time.now += 100
  saved()
  await isAt('it rests again', 2)
  expect(said.saves).toBe(1)
  said.unsaved = 1
  time.now += 999
  await turn()
  expect(said.saves).toBe(1)
  time.now += 1
  await turn()
  expect(said.saves).toBe(2)
})

test('nothing that came is no reason to hurry', async () => {
  const { said, waits, isAt } = scene()
  await isAt('it rests', 1)
  waits[0]?.go()
  await isAt('it rests again', 2)
  expect(waits[1]?.milliseconds).toBe(ROUND_MILLISECONDS)
  expect(said.blocks).toBe(0)
})
