import { afterEach, describe, expect, test } from 'vitest'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Chain } from '../chain.ts'
import type { Script, TestNode } from '../json-rpc/test-node.ts'
import { addressFromBytes } from './account.ts'
import { error, result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

/** Something in base58 that is 32 bytes, as blockhashes are. */
const hash = (serial: number): string => addressFromBytes(new Uint8Array(32).fill(serial))
const SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

interface Made {
  readonly slot: number
  readonly parent: number
  readonly hash?: string
}

/** A chain of blocks by slot; slots that are not here have none. */
const CHAIN: readonly Made[] = [
  { slot: 10, parent: 9 },
  { slot: 11, parent: 10 },
  { slot: 13, parent: 11 },
  { slot: 14, parent: 13 },
]

function block({ slot, parent, hash: own }: Made): object {
  return {
    blockhash: own ?? hash(slot),
    previousBlockhash: hash(parent),
    parentSlot: parent,
    blockTime: 1_790_000_000 + slot,
    blockHeight: slot - 2,
    signatures: slot === 13 ? [SIGNATURE] : [],
  }
}

/** A node that has some blocks. */
function nodeWith(blocks: readonly Made[], change: Lines = {}): Script {
  return script({
    getSlot: ([options]: [{ commitment: string }]) =>
      result(options.commitment === 'finalized' ? 11 : 14),
    getFirstAvailableBlock: 0,
    getBlocksWithLimit: ([from, count]: [number, number]) =>
      result(
        blocks
          .map(({ slot }) => slot)
          .filter((slot) => slot >= from)
          .slice(0, count),
      ),
    getBlock: ([slot]: [number]) => {
      const found = blocks.find((each) => each.slot === slot)
      return found === undefined
        ? error(-32007, `Slot ${slot} was skipped, or missing due to ledger jump`)
        : result(block(found))
    },
    getLatestBlockhash: {
      context: { slot: 14 },
      value: { blockhash: hash(14), lastValidBlockHeight: 162 },
    },
    ...change,
  })
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
async function chainOf(
  scripts: readonly Script[],
  change: Partial<NetworkConfig> = {},
): Promise<{ chain: Chain; nodes: readonly TestNode[] }> {
  const started = await startScripted(scripts, change)
  stops.push(started.stop)
  return started
}

describe('the head', () => {
  test('is the newest confirmed slot with its hash, in one round trip', async () => {
    const { chain, nodes } = await chainOf([nodeWith(CHAIN)])
    expect(await chain.head()).toEqual({ height: 14n, hash: hash(14), finalizedHeight: 11n })
    expect(nodes[0]?.requests).toHaveLength(1)
  })

  test('is final no higher than itself, and by depth where the policy says so', async () => {
    const late = nodeWith(CHAIN, { getSlot: 20 })
    expect((await (await chainOf([late])).chain.head()).finalizedHeight).toBe(14n)
    const depth = { finality: { kind: 'depth', blocks: 4 } } as const
    const { chain } = await chainOf([nodeWith(CHAIN)], depth)
    expect((await chain.head()).finalizedHeight).toBe(10n)
  })
})

describe('blocks', () => {
  test('come in order from a slot on, without the skipped ones, in two round trips', async () => {
    const { chain, nodes } = await chainOf([nodeWith(CHAIN)])
    const blocks = await chain.blocks(10n, 50)
    expect(blocks.map(({ height }) => height)).toEqual([10n, 11n, 13n, 14n])
    expect(blocks[2]).toEqual({
      height: 13n,
      hash: hash(13),
      parentHash: hash(11),
      timeMilliseconds: 1_790_000_013_000,
      transactionHashes: [SIGNATURE],
    })
    expect(nodes[0]?.requests).toHaveLength(2)
    expect((await chain.blocks(12n, 50)).map(({ height }) => height)).toEqual([13n, 14n])
    expect((await chain.blocks(10n, 2)).map(({ height }) => height)).toEqual([10n, 11n])
  })

  test('above the head are a failure', async () => {
    const { chain } = await chainOf([nodeWith(CHAIN)])
    await expect(chain.blocks(15n, 5)).rejects.toThrow('is at slot 14')
  })

  test('of a node that names none below its own head are a failure, and read from the next node', async () => {
    const none = nodeWith(CHAIN, { getBlocksWithLimit: [] })
    const { chain } = await chainOf([none])
    await expect(chain.blocks(14n, 5)).rejects.toThrow(NodeFailure)
    await expect(chain.blocks(10n, 5)).rejects.toThrow(NodeFailure)
    const { chain: both } = await chainOf([none, nodeWith(CHAIN)])
    expect(await both.blocks(10n, 5)).toHaveLength(4)
  })

  test('of which the first are left out are a failure, not another chain', async () => {
    const from = (slot: number) => nodeWith(CHAIN.filter((each) => each.slot >= slot))
    const { chain } = await chainOf([from(11)])
    await expect(chain.blocks(10n, 5)).rejects.toThrow('lacks slot 10')
    expect((await chain.blocks(11n, 5)).map(({ height }) => height)).toEqual([11n, 13n, 14n])
  })

  test('of a slot that the node has thrown away are a failure, not a gap', async () => {
    const { chain } = await chainOf([nodeWith(CHAIN, { getFirstAvailableBlock: 11 })])
    await expect(chain.blocks(10n, 5)).rejects.toThrow('no blocks before slot 11')
    expect(await chain.blocks(11n, 5)).toHaveLength(3)
  })

  test('are read without the oldest slot where a node does not tell it', async () => {
    const unknown = { getFirstAvailableBlock: () => error(-32601, 'Method not found') }
    const { chain } = await chainOf([nodeWith(CHAIN, unknown)])
    expect(await chain.blocks(10n, 5)).toHaveLength(4)
  })

  test('end before one that stands on another fork, which is read again later', async () => {
    const forked = CHAIN.map((made) =>
      made.slot === 14 ? { ...made, parent: 11, hash: hash(99) } : made,
    )
    const { chain } = await chainOf([nodeWith(forked)])
    const blocks = await chain.blocks(10n, 5)
    expect(blocks.map(({ height }) => height)).toEqual([10n, 11n, 13n])
  })

  test("with a gap in the node's history are a failure", async () => {
    const { chain } = await chainOf([nodeWith(CHAIN.filter(({ slot }) => slot !== 11))])
    await expect(chain.blocks(10n, 5)).rejects.toThrow('lacks slot 11')
  })

  test.each<[string, unknown]>([
    ['says that it was skipped', () => error(-32007, 'Slot 10 was skipped')],
    ['says that it was cleaned up', () => error(-32001, 'Block 10 cleaned up')],
    ['says that it is not available', () => error(-32004, 'Block not available for slot 10')],
    ['says nothing', null],
    ['knows no time', { ...block(CHAIN[0] ?? { slot: 0, parent: 0 }), blockTime: null }],
    ['gives no hash', { ...block(CHAIN[0] ?? { slot: 0, parent: 0 }), blockhash: 'x' }],
    [
      'gives no signatures',
      { ...block(CHAIN[0] ?? { slot: 0, parent: 0 }), signatures: undefined },
    ],
  ])('that a node names and then %s are a failure', async (_, getBlock) => {
    const { chain } = await chainOf([nodeWith(CHAIN, { getBlock })])
    await expect(chain.blocks(10n, 5)).rejects.toThrow(NodeFailure)
  })

  test('are read from the next node where the first one lags', async () => {
    const late = nodeWith(CHAIN, { getBlock: () => error(-32004, 'Block not available') })
    const { chain } = await chainOf([late, nodeWith(CHAIN)])
    expect(await chain.blocks(10n, 5)).toHaveLength(4)
  })
})

describe('a node of a real network', () => {
  const GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
  const real = { sandbox: false }
  const asks = (nodes: readonly TestNode[]) =>
    nodes[0]?.requests.flat().filter((method) => method === 'getGenesisHash').length

  test('is asked once for its genesis hash', async () => {
    const { chain, nodes } = await chainOf([nodeWith(CHAIN, { getGenesisHash: GENESIS })], real)
    await chain.head()
    await chain.blocks(10n, 5)
    expect(asks(nodes)).toBe(1)
  })

  test.each<[string, unknown]>([
    ['is on another cluster', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
    ['does not tell', () => error(-32601, 'Method not found')],
    ['tells nothing', null],
  ])('is not believed when it %s', async (_, getGenesisHash) => {
    const { chain } = await chainOf([nodeWith(CHAIN, { getGenesisHash })], real)
    await expect(chain.head()).rejects.toThrow(NodeFailure)
    expect(await chain.broadcast([new Uint8Array(100)])).toMatchObject([{ kind: 'unknown' }])
  })

  test('is never asked behind a sandbox, whose chain is its own', async () => {
    const { chain, nodes } = await chainOf([nodeWith(CHAIN, { getGenesisHash: 'other' })])
    await chain.head()
    expect(asks(nodes)).toBe(0)
  })
})
