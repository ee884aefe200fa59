import { afterEach, describe, expect, test } from 'vitest'
import type { FinalityPolicy } from '../../kernel/network-config.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { NodeFailure } from '../chain.ts'
import type { Chain } from '../chain.ts'
import { ZERO_ADDRESS } from './account.ts'
import { connectEvm } from './connect.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../json-rpc/test-node.ts'
import { testNetwork } from './test-network.ts'

const TAG: FinalityPolicy = { kind: 'tag' }
const depth = (blocks: number): FinalityPolicy => ({ kind: 'depth', blocks })
const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const blockAt = (height: number): object => ({
  number: `0x${height.toString(16)}`,
  hash: hashAt(height),
  parentHash: hashAt(height - 1),
  timestamp: '0x6a000000',
  transactions: [hashAt(height + 1_000)],
})

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

async function chainOf(
  finality: FinalityPolicy,
  reply: (method: string, block: unknown) => Reply,
): Promise<{ chain: Chain; node: TestNode }> {
  const node = await startTestNode({
    reply: (method, params) => reply(method, params[method === 'eth_getTransactionCount' ? 1 : 0]),
  })
  nodes.push(node)
  const config = testNetwork([node.url], { finality })
  return { chain: connectEvm({ config, log: openLog('silent'), clock: systemClock }), node }
}

/** A chain with its head at `head` and its finalized block at `final`; null is a node without the tag. */
const heads =
  (head: number, final: number | null) =>
  (_: string, tag: unknown): Reply => ({
    result: tag === 'latest' ? blockAt(head) : final === null ? null : blockAt(final),
  })

describe('the head', () => {
  test('has the finalized block of the node, in one round trip', async () => {
    const { chain, node } = await chainOf(TAG, heads(100, 64))
    expect(await chain.head()).toEqual({
      ...{ height: 100n, hash: hashAt(100), finalizedHeight: 64n },
      block: {
        ...{ height: 100n, hash: hashAt(100), parentHash: hashAt(99) },
        ...{ timeMilliseconds: 0x6a000000 * 1000, transactionHashes: [hashAt(1_100)] },
      },
    })
    expect(node.requests).toHaveLength(1)
  })

  test('is a failure of the node when the policy needs the tag and the node has none', async () => {
    const without = await chainOf(TAG, heads(100, null))
    await expect(without.chain.head()).rejects.toThrow(NodeFailure)
    const refusing = await chainOf(TAG, (_, tag) =>
      tag === 'latest'
        ? { result: blockAt(100) }
        : { error: { code: -39001, message: 'finalized block not found' } },
    )
    await expect(refusing.chain.head()).rejects.toThrow(NodeFailure)
  })

  test('is final by depth when the policy says so, and never asks for the tag', async () => {
    const { chain } = await chainOf(depth(12), (_, tag) =>
      tag === 'latest' ? { result: blockAt(100) } : { error: { code: 1, message: 'no such tag' } },
    )
    expect(await chain.head()).toMatchObject({ height: 100n, finalizedHeight: 88n })
    const young = await chainOf(depth(12), heads(5, null))
    expect(await young.chain.head()).toMatchObject({ height: 5n, finalizedHeight: 0n })
  })

  test('has nothing final above it, whatever the node says', async () => {
    const { chain } = await chainOf(TAG, heads(100, 101))
    const head = await chain.head()
    expect(head).toMatchObject({ height: 100n, finalizedHeight: 100n })
    // Two nodes have answered, and one of them is not where the other is: its block is asked for.
    expect(head.block).toBeUndefined()
  })
})

describe('a block that is shown without a transaction, though its header is of some', () => {
  const [EMPTY, OTHER] = [
    '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    hashAt(7),
  ]
  const empty = (transactionsRoot?: string) => ({
    ...{ ...blockAt(10), transactions: [] },
    ...(transactionsRoot === undefined ? {} : { transactionsRoot }),
  })
  const shown = async (first: object, again: object | null) => {
    const reply = (method: string): Reply => ({
      result: method === 'eth_getBlockByHash' ? again : first,
    })
    return await chainOf(depth(1), reply)
  }
  const counts = (blocks: Awaited<ReturnType<Chain['blocks']>>) =>
    blocks.map(({ transactionHashes }) => transactionHashes.length)

  test('is asked for again, by its hash', async () => {
    const { chain, node } = await shown(empty(OTHER), blockAt(10))
    expect(counts(await chain.blocks(10n, 1))).toEqual([1])
    expect(node.requests.flat().filter((method) => method.startsWith('eth_getBlock'))).toEqual([
      'eth_getBlockByNumber',
      'eth_getBlockByHash',
    ])
    // The head's own answer is not enough: the block is read with the others.
    expect((await chain.head()).block).toBeUndefined()
  })

  test('is empty where that is shown again: some chains count there what is no transaction of the EVM', async () => {
    const { chain } = await shown(empty(OTHER), empty(OTHER))
    expect(counts(await chain.blocks(10n, 1))).toEqual([0])
  })

  test('is not read from a node that has it no more, nor as another one', async () => {
    for (const again of [null, { ...blockAt(10), hash: hashAt(11) }]) {
      const { chain } = await shown(empty(OTHER), again)
      await expect(chain.blocks(10n, 1)).rejects.toThrow(NodeFailure)
    }
  })

  test.each([EMPTY, hashAt(0), undefined])('is believed with the root %s', async (root) => {
    const { chain, node } = await shown(empty(root), null)
    expect(counts(await chain.blocks(10n, 1))).toEqual([0])
    expect(node.requests.flat()).not.toContain('eth_getBlockByHash')
    expect((await chain.head()).block).toBeDefined()
  })
})

describe('blocks', () => {
  const upTo =
    (head: number) =>
    (_: string, height: unknown): Reply => {
      const asked = Number(height)
      return { result: asked <= head ? blockAt(asked) : null }
    }

  test('come in order and in one round trip, as far as the chain goes', async () => {
    const { chain, node } = await chainOf(TAG, upTo(12))
    const blocks = await chain.blocks(10n, 5)
    expect(blocks.map(({ height }) => height)).toEqual([10n, 11n, 12n])
    expect(blocks[0]).toEqual({
      height: 10n,
      hash: hashAt(10),
      parentHash: hashAt(9),
      timeMilliseconds: 0x6a000000 * 1_000,
      transactionHashes: [hashAt(1_010)],
    })
    expect(node.requests).toHaveLength(1)
    expect(await chain.blocks(13n, 5)).toEqual([])
  })

  test('that cannot be there yet are not asked for: each is a call that somebody pays for', async () => {
    const { chain, node } = await chainOf(TAG, (method, tag) =>
      tag === 'latest' || tag === 'finalized'
        ? heads(100, 64)(method, tag)
        : upTo(101)(method, tag),
    )
    await chain.head()
    const blocks = await chain.blocks(100n, 51)
    expect(blocks.map(({ height }) => height)).toEqual([100n, 101n])
    expect(node.requests.at(-1)).toHaveLength(3)
  })

  test('end where one does not stand on the one before', async () => {
    const { chain } = await chainOf(TAG, (_, height) => {
      const asked = Number(height)
      return { result: { ...blockAt(asked), ...(asked === 12 ? { parentHash: hashAt(99) } : {}) } }
    })
    expect((await chain.blocks(10n, 5)).map(({ height }) => height)).toEqual([10n, 11n])
  })

  test.each<[string, Reply]>([
    [
      'is out of range for a pruned node',
      { error: { code: -32001, message: 'BlockOutOfRangeError' } },
    ],
    ['has another height', { result: blockAt(7) }],
    ['has no transactions', { result: { ...blockAt(10), transactions: undefined } }],
    [
      'has whole transactions in place of hashes',
      { result: { ...blockAt(10), transactions: [{}] } },
    ],
    ['has no time', { result: { ...blockAt(10), timestamp: 5 } }],
  ])('are a failure of the node when one %s', async (_, reply) => {
    const { chain } = await chainOf(TAG, () => reply)
    await expect(chain.blocks(10n, 1)).rejects.toThrow(NodeFailure)
  })
})

describe('the place of a lane', () => {
  const nonces = (method: string, block: unknown): Reply => {
    if (method === 'eth_blockNumber') return { result: '0x64' }
    if (method === 'eth_getBlockByNumber') return heads(100, 64)(method, block)
    const used: Record<string, string> = { latest: '0x9', '0x40': '0x7', '0x58': '0x8' }
    return { result: used[String(block)] ?? null }
  }

  test('is read at the head and at the finalized block, in two round trips', async () => {
    const { chain, node } = await chainOf(TAG, nonces)
    expect(await chain.lanePosition(ZERO_ADDRESS)).toMatchObject({ latest: 9n, finalized: 7n })
    expect(node.requests).toHaveLength(2)
  })

  test('is counted up to the very block that is named, whichever machine counts', async () => {
    // Behind one address the one that counts calls more final than the one that stands still and names the block.
    const { chain } = await chainOf(TAG, (method, block) =>
      method === 'eth_getTransactionCount' && block === 'finalized'
        ? { result: '0x8' }
        : nonces(method, block),
    )
    expect(await chain.lanePosition(ZERO_ADDRESS)).toEqual({
      ...{ latest: 9n, finalized: 7n, finalizedHeight: 64n },
    })
  })

  test('is read at the block that depth makes final', async () => {
    const { chain } = await chainOf(depth(12), nonces)
    expect(await chain.lanePosition(ZERO_ADDRESS)).toEqual({
      latest: 9n,
      finalized: 8n,
      finalizedHeight: 88n,
    })
  })

  test('is a failure of the node when it has dropped that state', async () => {
    const { chain } = await chainOf(TAG, (method, block) =>
      method === 'eth_getTransactionCount' && block === '0x40'
        ? { error: { code: -32000, message: 'Required data unavailable' } }
        : nonces(method, block),
    )
    await expect(chain.lanePosition(ZERO_ADDRESS)).rejects.toThrow(NodeFailure)
  })

  test('makes a node that then answers from below unbelievable', async () => {
    let height = '0x64'
    const { chain } = await chainOf(TAG, (method, block) =>
      method === 'eth_blockNumber' ? { result: height } : nonces(method, block),
    )
    await chain.lanePosition(ZERO_ADDRESS)
    height = '0x3f'
    await expect(chain.lanePosition(ZERO_ADDRESS)).rejects.toThrow('is at block 63')
  })
})
