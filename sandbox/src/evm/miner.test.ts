import { afterEach, expect, test } from 'vitest'
import { until } from '../../../server/src/kernel/until.ts'
import type { Json } from '../host/json.ts'
import { startMiner } from './miner.ts'
import type { MinedNode, Miner } from './miner.ts'
import { openTraffic } from './traffic.ts'

const ROUND_MILLISECONDS = 100
const BLOCK_MILLISECONDS = 50
const SOON = { seconds: 30 }

let miner: Miner | undefined
afterEach(async () => {
  await miner?.stop()
  miner = undefined
})

/** Long enough for all that waits for nothing. */
async function passTurns(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
}

/** A node with a pool of transactions, whose saves take as long as the test likes. */
function scene() {
  const said = { pool: 0, blocks: 0, reads: 0, saves: 0, unsaved: 0 }
  const time = { now: 0, readMilliseconds: 0 }
  const logged: string[] = []
  let reading: Promise<void> = Promise.resolve()
  let writing: Promise<void> = Promise.resolve()
  const call = async (method: string): Promise<Json> => {
    if (method === 'txpool_status') return { pending: said.pool }
    if (method === 'eth_blockNumber') return said.blocks
    if (method !== 'evm_mine') return { number: said.blocks, transactions: ['0x'] }
    said.blocks += 1
    said.unsaved += 1
    said.pool = 0
    return null
  }
  let running = { client: { call } }
  const node: MinedNode = {
    running: () => running,
    read: async () => {
      await reading
      time.now += time.readMilliseconds
      said.reads += 1
      const read = said.unsaved
      return async () => {
        await writing
        said.saves += 1
        said.unsaved -= read
      }
    },
    noteHead: () => undefined,
    noteReplaced: (blocks) => {
      said.unsaved = Math.max(said.unsaved, blocks)
    },
    unsavedBlocks: () => said.unsaved,
  }
  /** What the miner waited for, and what lets it go on. */
  const waits: { milliseconds: number; go(): void }[] = []
  const sleep = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      if (signal.aborted) resolve()
      waits.push({ milliseconds, go: resolve })
    })
  miner = startMiner(node, openTraffic(), (text) => logged.push(text), {
    now: () => time.now,
    sleep,
  })
  const isAt = (text: string, count: number) => until(text, () => waits.length === count, SOON)
  /** One turn, to its end. */
  const turn = async () => {
    const before = waits.length
    waits.at(-1)?.go()
    await isAt('it rests again', before + 1)
  }
  return {
    turn,
    /** One block that is saved at once, and so long after that the node may be trusted to live. */
    growOld: async () => {
      await isAt('it rests', 1)
      said.pool = 1
      await turn()
      time.now += 15_000
    },
    said,
    time,
    logged,
    waits,
    miner,
    isAt,
    holdReads: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      reading = promise
      return resolve
    },
    /** Lets writes end when it is called, or fail with that. */
    holdWrites: (failure?: Error) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      writing = promise.then(() => {
        if (failure !== undefined) throw failure
      })
      writing.catch(() => undefined)
      return resolve
    },
    /** Another node goes on from what was saved. */
    startAgain: () => {
      running = { client: { call } }
    },
  }
}

test('a transaction that comes while the chain is read does not wait for its turn', async () => {
  const { said, time, waits, isAt, holdReads, miner } = scene()
  await isAt('it rests', 1)
  expect(waits[0]?.milliseconds).toBe(ROUND_MILLISECONDS)
  said.pool = 1
  const read = holdReads()
  waits[0]?.go()
  await until('a block is made', () => said.blocks === 1, SOON)
  said.pool = 1
  miner.wake()
  time.now += 30
  read()
  // Its turn, and beside it what lies between two blocks and no more.
  await isAt('it rests again', 3)
  expect(waits.slice(1).map(({ milliseconds }) => milliseconds)).toEqual([
    ROUND_MILLISECONDS,
    BLOCK_MILLISECONDS - 30,
  ])
  waits[2]?.go()
  await until('the next block is made', () => said.blocks === 2, SOON)
})

test('blocks are made while the chain is written, and it is read again only when that is over', async () => {
  const { said, time, turn, isAt, holdWrites } = scene()
  await isAt('it rests', 1)
  const written = holdWrites()
  for (let block = 1; block <= 3; block += 1) {
    said.pool = 1
    await turn()
    time.now += 60_000
    expect(said).toMatchObject({ blocks: block, reads: 1, saves: 0 })
  }
  written()
  await until('it is written', () => said.saves === 1, SOON)
  await turn()
  await until('the rest is written', () => said.saves === 2, SOON)
  expect(said.unsaved).toBe(0)
})

test('with 80 blocks that are not on disk no other is made until the disk has caught up', async () => {
  const { said, time, waits, turn, isAt, holdWrites } = scene()
  await isAt('it rests', 1)
  // After which no pause is ever over.
  time.readMilliseconds = 1_000_000
  const written = holdWrites()
  said.pool = 1
  await turn()
  said.unsaved = 79
  said.pool = 1
  await turn()
  expect(said).toMatchObject({ blocks: 2, reads: 1, saves: 0, unsaved: 80 })
  said.pool = 1
  waits.at(-1)?.go()
  await passTurns()
  expect(said).toMatchObject({ blocks: 2, reads: 1, saves: 0 })
  written()
  await isAt('it goes on', 4)
  expect(said).toMatchObject({ blocks: 3, reads: 2 })
  await until('the rest is written', () => said.saves === 2, SOON)
  expect(said.unsaved).toBe(0)
})

test.each([
  { what: '64 blocks', isAwaited: false, blocks: 64 },
  { what: '32 blocks, when somebody waits for it,', isAwaited: true, blocks: 32 },
])('the chain is read again after $what at the latest', async ({ isAwaited, blocks }) => {
  const { said, time, turn, isAt, miner } = scene()
  await isAt('it rests', 1)
  time.readMilliseconds = 1_000_000
  said.pool = 1
  await turn()
  for (let block = 1; block <= blocks; block += 1) {
    expect(said.reads).toBe(1)
    if (isAwaited) miner.hastenSave()
    said.pool = 1
    await turn()
  }
  expect(said.reads).toBe(2)
})

test('a disk that takes nothing ends what mines many blocks, before the state of the last one that was saved is forgotten', async () => {
  const { said, isAt, miner, holdWrites } = scene()
  await isAt('it rests', 1)
  holdWrites(new Error('no space left'))()
  await expect(miner.mine(1_000)).rejects.toThrow('no space left')
  expect(said.blocks).toBe(80)
  holdWrites()()
})

test('one block is read and written once', async () => {
  const { said, isAt, miner, holdWrites } = scene()
  await isAt('it rests', 1)
  const written = holdWrites()
  const mining = miner.mine(1)
  await until('it is read', () => said.reads === 1, SOON)
  written()
  await mining
  expect(said).toMatchObject({ blocks: 1, reads: 1, saves: 1, unsaved: 0 })
})

test.each([
  { what: 'forty times', isYoung: false, isAwaited: false, pauseMilliseconds: 800 },
  {
    what: 'ten times, when somebody waits for it,',
    ...{ isYoung: false, isAwaited: true, pauseMilliseconds: 200 },
  },
  {
    what: 'five times, when the node was started a moment ago,',
    ...{ isYoung: true, isAwaited: false, pauseMilliseconds: 100 },
  },
])(
  'the chain is read again $what as long after as reading took, with or without a block, and then it is',
  async ({ isYoung, isAwaited, pauseMilliseconds }) => {
    const { said, time, turn, growOld, startAgain, miner } = scene()
    await growOld()
    if (isYoung) startAgain()
    time.readMilliseconds = 20
    said.pool = 1
    await turn()
    expect(said).toMatchObject({ blocks: 2, reads: 2 })
    if (isAwaited) miner.hastenSave()
    said.pool = 1
    await turn()
    expect(said).toMatchObject({ blocks: 3, reads: 2 })
    time.now += pauseMilliseconds - 1
    await turn()
    expect(said.reads).toBe(2)
    time.now += 1
    await turn()
    expect(said.reads).toBe(3)
  },
)

test('a chain that is slow to read is read every 12 s all the same', async () => {
  const { said, time, turn, growOld } = scene()
  await growOld()
  time.readMilliseconds = 1_000
  for (const reads of [2, 2]) {
    said.pool = 1
    await turn()
    expect(said.reads).toBe(reads)
  }
  time.now += 11_999
  await turn()
  expect(said.reads).toBe(2)
  time.now += 1
  await turn()
  expect(said.reads).toBe(3)
})

test('whoever waits for a save waits for one that holds the next block, and for no more than one', async () => {
  const { said, time, waits, turn, isAt, growOld, holdReads, miner } = scene()
  await growOld()
  time.readMilliseconds = 20
  said.pool = 1
  const read = holdReads()
  waits.at(-1)?.go()
  await until('a block is made', () => said.blocks === 2, SOON)
  // What it waits for comes after the block that is read now.
  miner.hastenSave()
  read()
  await isAt('it rests again', 3)
  for (const reads of [3, 3]) {
    said.pool = 1
    await turn()
    time.now += 200
    await turn()
    expect(said.reads).toBe(reads)
  }
})

test('what replaces blocks is not on disk before it is saved, and not when the save fails', async () => {
  const { said, miner, isAt, holdWrites } = scene()
  await isAt('it rests', 1)
  holdWrites(new Error('no space'))()
  const unsaved = async () => said.unsaved
  const replaced = miner.replace(5, unsaved)
  await expect(replaced).rejects.toThrow('no space')
  expect(said.unsaved).toBe(5)
  holdWrites()()
  expect(await miner.replace(3, unsaved)).toBe(5)
  expect(said.unsaved).toBe(0)
})

test('blocks are replaced when what was read before is on disk, and not earlier', async () => {
  const { said, miner, isAt, turn, holdWrites } = scene()
  await isAt('it rests', 1)
  const letWritesEnd = holdWrites()
  said.pool = 1
  await turn()
  expect(said).toMatchObject({ reads: 1, saves: 0 })
  const replaced = miner.replace(3, async () => said.saves)
  await passTurns()
  letWritesEnd()
  expect(await replaced).toBe(1)
})

test('a disk that takes nothing is said, and tried again', async () => {
  const { said, time, logged, turn, isAt, holdWrites } = scene()
  await isAt('it rests', 1)
  const refuse = holdWrites(new Error('no space left'))
  refuse()
  said.pool = 1
  await turn()
  await until('it is said', () => logged.length === 1, SOON)
  expect(logged).toEqual(['the chain is not saved: no space left'])
  holdWrites()()
  time.now += 60_000
  await turn()
  await until('it is written', () => said.saves === 1, SOON)
})

test('nothing that came is no reason to hurry', async () => {
  const { said, waits, isAt } = scene()
  await isAt('it rests', 1)
  waits[0]?.go()
  await isAt('it rests again', 2)
  expect(waits[1]?.milliseconds).toBe(ROUND_MILLISECONDS)
  expect(said.blocks).toBe(0)
})
