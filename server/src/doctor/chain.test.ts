import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Block, Chain } from '../chains/chain.ts'
import { openTestLane } from '../payments/test-lane.ts'
import type { TestLane } from '../payments/test-lane.ts'
import { openModelChain } from '../payments/test-model-chain.ts'
import type { ModelChain } from '../payments/test-model-chain.ts'
import { unfreezeLane } from '../sender/lane-release-store.ts'
import { freezeLane, lockLane, moveIdleLane } from '../sender/lane-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import { findInBooks, newestPlaces } from './books-store.ts'
import { findOnChain } from './chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** A wallet of 1,000 that has paid 110 of them, all of it final. */
async function aLane(chainId: number) {
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(database.store, model, chainId)
  await pay(model, lane)
  await end(model, lane)
  return { model, lane }
}

async function pay(model: ModelChain, lane: TestLane): Promise<void> {
  const at = model.tip()
  await lane.send([lane.prepare({ asset: 'native', amount: 100n, feeCeiling: 10n, at })])
}

async function end(model: ModelChain, lane: TestLane): Promise<void> {
  model.mine({ deposits: [], take: 1, feePercent: 100, reverts: false })
  await lane.follow(1)
  await lane.finalize(model.tip().height)
}

const looked = async (lane: TestLane, script: Partial<Chain>) =>
  findOnChain(
    database.store,
    scriptedChain(lane.chain.config, {
      outcomes: lane.chain.outcomes,
      parseAddress: () => lane.wallet.address,
      ...script,
    }),
  )
/** What was found where everything could be asked. */
const found = async (lane: TestLane, script: Partial<Chain>) => {
  const { findings, unasked } = await looked(lane, script)
  expect(unasked).toEqual([])
  return findings
}
/** Nothing is known of what a machine that stands behind has not got. */
const BEHIND = {
  findings: [],
  unasked: ['a node stands behind the blocks that were read of it here'],
}
const balanceOf = (model: ModelChain) => ({
  height: model.tip().height,
  amounts: [model.tip().balances.get('native') ?? 0n],
})

describe('what an idle wallet has', () => {
  test.each([
    ['is under way', pay],
    [
      'is over',
      async (model: ModelChain, lane: TestLane) => {
        await pay(model, lane)
        await end(model, lane)
      },
    ],
  ])(
    'is not short of a payment that began after its books were read and %s',
    async (what, meanwhile) => {
      const { model, lane } = await aLane(what === 'is over' ? 2 : 1)
      const findings = await found(lane, {
        balances: async () => {
          await meanwhile(model, lane)
          // Mined, whether the follower has read it or not.
          model.mine({ deposits: [], take: 1, feePercent: 100, reverts: false })
          return balanceOf(model)
        },
      })
      expect(model.tip().balances.get('native')).toBe(780n)
      expect(findings).toEqual([])
    },
  )
})

test('nothing is missing by the word of a node that stands behind what was read here', async () => {
  const { model, lane } = await aLane(6)
  const height = model.tip().height
  const empty = (at: bigint) =>
    looked(lane, { balances: async () => ({ height: at, amounts: [0n] }) })
  expect(await empty(height - 1n)).toEqual(BEHIND)
  const subject = `${lane.wallet.address} native`
  const invariant = 'an idle wallet has on chain what the books say'
  expect(await empty(height)).toEqual({ findings: [{ invariant, subject }], unasked: [] })
  // Blocks that are read while it answers it need not know.
  const meanwhile = async () => {
    const before = model.tip().height
    model.mine({ deposits: [], take: 0, feePercent: 100, reverts: false })
    await lane.follow(1)
    return { height: before, amounts: [0n] }
  }
  expect(await found(lane, { balances: meanwhile })).toEqual([{ invariant, subject }])
})

describe('a final place', () => {
  const absent: Chain['outcomes'] = async (hashes) => hashes.map(() => ({ state: 'absent' }))
  const invariant = 'a final place is on chain where it was recorded'

  test('that a node has nothing of is missing only where its block is another one, or does not hold it', async () => {
    const { model, lane } = await aLane(7)
    const [place] = await database.store.inTransaction('service', (tx) =>
      newestPlaces(tx, lane.chain.config.network, 1),
    )
    const by = (blocks: Chain['blocks']) =>
      looked(lane, { balances: async () => balanceOf(model), outcomes: absent, blocks })
    const changed = (change: Partial<Block>) =>
      by(async (...asked) =>
        (await lane.chain.blocks(...asked)).map((block) => ({ ...block, ...change })),
      )
    // It stands still, or keeps no transactions that are so old; its block or another machine has it.
    expect(await changed({})).toEqual({ findings: [], unasked: [] })
    const missing = { findings: [{ invariant, subject: `place ${place?.id}` }], unasked: [] }
    expect(await changed({ hash: 'another' })).toEqual(missing)
    expect(await changed({ transactionHashes: [] })).toEqual(missing)
    // Nobody shows the block, or who was asked has a gap where it is.
    const height = `${model.tip().height}`
    const unasked = [`no node shows block ${height}, which a place of ours is in`]
    expect(await by(async () => [])).toEqual({ findings: [], unasked })
    expect(await changed({ height: model.tip().height + 1n })).toEqual({ findings: [], unasked })
  })

  test('that nobody can be asked of takes nothing from what else is found', async () => {
    const { model, lane } = await aLane(8)
    const { findings, unasked } = await looked(lane, {
      balances: async () => ({ height: model.tip().height, amounts: [0n] }),
      outcomes: absent,
      blocks: async () => {
        throw new NodeFailure('the node has no such old block')
      },
    })
    expect(findings.map((each) => each.invariant)).toEqual([
      'an idle wallet has on chain what the books say',
    ])
    expect(unasked).toEqual(['the node has no such old block'])
  })
})

test('a wallet whose tokens are frozen is not short of them', async () => {
  const { model, lane } = await aLane(5)
  const frozen = async () => {
    const { height, amounts } = balanceOf(model)
    return { height, amounts: [0n], owned: amounts }
  }
  expect(await found(lane, { balances: frozen })).toEqual([])
})

describe('what a lane has passed over', () => {
  const PASSED = 'what a lane has passed over is used up on chain'
  /** As an operator does after a stranger has used the key. */
  const release = async (tx: Tx, { chain, wallet }: TestLane, latest: bigint) => {
    const { network } = chain.config
    await lockLane(tx, network, wallet.address, latest)
    await freezeLane(tx, network, wallet.address, 'a stranger')
    const final = { usedUp: latest, finalized: latest, finalizedHeight: 0n }
    expect(await unfreezeLane(tx, network, wallet.address, final)).toHaveProperty('nextNonce')
  }
  /** As importing the key again does. */
  const importAgain = async (tx: Tx, { chain, wallet }: TestLane, latest: bigint) => {
    expect(await moveIdleLane(tx, chain.config.network, wallet.address, latest)).toBe('moved')
  }

  test.each([
    ['released', 3, release],
    ['imported again', 4, importAgain],
  ])('is used up where its key was used elsewhere and is %s', async (_, chainId, move) => {
    const { model, lane } = await aLane(chainId)
    await database.store.inTransaction('service', (tx) => move(tx, lane, 4n))
    const final = model.tip().height
    const told = (latest: bigint, finalizedHeight = final): Partial<Chain> => ({
      balances: async () => balanceOf(model),
      lanePosition: async () => ({ latest, finalized: latest, finalizedHeight }),
    })
    const standing = async (latest: bigint) => [
      ...(await database.store.inTransaction('service', findInBooks)),
      ...(await found(lane, told(latest))),
    ]
    const subject = `${lane.chain.config.network} ${lane.wallet.address} 3`
    expect(await standing(4n)).toEqual([])
    expect(await standing(3n)).toEqual([{ invariant: PASSED, subject }])
    expect(await looked(lane, told(3n, final - 1n))).toEqual(BEHIND)
    await pay(model, lane)
    expect(await standing(4n)).toEqual([])
    expect(await standing(3n)).toEqual([{ invariant: PASSED, subject }])
  })
})
