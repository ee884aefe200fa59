import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Block, Chain, TransactionHash } from '../chains/chain.ts'
import type { SelfCustody } from '../chains/self-custody.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { EVM_OTHER } from '../payments/test-records.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { haltNetwork } from '../sender/halt-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openScene, SENDER } from '../transactions/test-scene.ts'
import { diagnose } from './run.ts'
import { whyNotReadOn } from './unread-blocks.ts'

const START = 1_790_000_000_000
const FIRST_CHAIN = 74_900
let chains = 0

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const blockAt = (height: bigint): Block => ({
  ...{ height, hash: `a${height}`, parentHash: `a${height - 1n}`, timeMilliseconds: START },
  transactionHashes: [`tx${height}` as TransactionHash],
})

/** A network whose first 100 blocks were read, with blocks of two seconds, of which a node has so many. */
async function aNetwork(head: bigint, script: Partial<Chain> = {}, sandbox = false) {
  chains += 1
  const config = { ...testNetwork(FIRST_CHAIN + chains), sandbox, blockTimeMilliseconds: 2_000 }
  const { network } = config
  const { store } = database
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 100n, hash: 'a100' }),
  )
  const chain = scriptedChain(config, {
    head: async () => ({ height: head, hash: `a${head}`, finalizedHeight: 90n }),
    blocks: async (from) => [blockAt(from)],
    ...script,
  })
  let now = START
  let onSleep = async () => undefined as unknown
  const clock = {
    nowMilliseconds: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds
      await onSleep()
    },
  }
  return {
    ...{ chain, network },
    said: () => whyNotReadOn(store, chain, clock),
    took: () => now - START,
    /** Somebody reads one more block while the doctor waits. */
    readOn: () => {
      onSleep = () =>
        store.inTransaction('service', async (tx) => {
          const cursor = await takeLease(tx, network, 'one', 60_000)
          if (cursor !== undefined) await storeBlocks(tx, cursor, [blockAt(cursor.height + 1n)])
        })
    },
  }
}

const UNREADABLE = 'transaction tx101 of block 101 cannot be read; put a node of another provider'
const unreadable: Chain['arrivals'] = async ([block]) => {
  expect(block?.height).toBe(101n)
  throw new NodeFailure(UNREADABLE)
}

describe('a network that is far behind its nodes', () => {
  test('is named with what its next block fails at, and where the doctor says it', async () => {
    const { said, took, chain, network } = await aNetwork(160n, { arrivals: unreadable })
    const words = `the blocks after 100 are not read, and what they hold is pending. ${UNREADABLE}`
    expect(await said()).toBe(words)
    expect(took()).toBe(0)
    const { unasked } = await diagnose({
      ...{ store: database.store, clock: systemClock },
      chains: [{ ...chain, outcomes: async () => [], blocks: async (from) => [blockAt(from)] }],
    })
    expect(unasked).toContain(`${network}: ${words}`)
  })

  test('is named with what fails for those who wait for what others send', async () => {
    const own = await openTestDatabase()
    onTestFinished(() => own.close())
    const scene = await openScene(own.store, 'solana')
    const { config } = scene.chain
    const waitedFor: unknown[] = []
    const sightings: SelfCustody['sightings'] = async (_, watched) => {
      waitedFor.push(
        await watched({ senders: [SENDER, EVM_OTHER], commitments: [], cosigned: [EVM_OTHER] }),
      )
      throw new NodeFailure(UNREADABLE)
    }
    const chain = scriptedChain(
      { ...config, sandbox: false },
      {
        head: async () => ({ height: 10_000n, hash: 'head', finalizedHeight: 0n }),
        blocks: async (from) => [blockAt(from)],
        selfCustody: { sightings } as Partial<SelfCustody> as SelfCustody,
      },
    )
    let passed = 0
    const clock = {
      nowMilliseconds: () => START + passed,
      sleep: async (milliseconds: number) => void (passed += milliseconds),
    }
    const said = () => whyNotReadOn(own.store, chain, clock)
    // Nobody waits: the follower does not ask, either.
    expect(await said()).toContain('round failed')
    await scene.build()
    expect(await said()).toContain(UNREADABLE)
    const none = new Set()
    expect(waitedFor).toEqual([{ senders: new Set([SENDER]), commitments: none, cosigners: none }])
  })

  test('is named where its next block is not to be had, and where nothing is seen from here', async () => {
    const gone = await aNetwork(160n, {
      blocks: async () => {
        throw new NodeFailure('the node has no blocks before slot 150')
      },
    })
    expect(await gone.said()).toMatch(/not read, .* the node has no blocks before slot 150$/)
    const still = await aNetwork(160n)
    expect(await still.said()).toMatch(
      /blocks after 100 are not read.*log says it as "round failed"/,
    )
    expect(still.took()).toBe(limits.doctorNextBlockSeconds * 1000)
  })

  test('is not named where somebody reads on, nor where it waits for a person, nor in a sandbox', async () => {
    const going = await aNetwork(160n)
    going.readOn()
    expect(await going.said()).toBeUndefined()
    const halted = await aNetwork(160n, { arrivals: unreadable })
    await database.store.inTransaction('service', (tx) => haltNetwork(tx, halted.network, 'why'))
    expect(await halted.said()).toBeUndefined()
    const sandbox = await aNetwork(160n, { arrivals: unreadable }, true)
    expect(await sandbox.said()).toBeUndefined()
  })

  test('is one that is two minutes behind', async () => {
    expect(await (await aNetwork(159n, { arrivals: unreadable })).said()).toBeUndefined()
    expect(await (await aNetwork(99n, { arrivals: unreadable })).said()).toBeUndefined()
  })
})
