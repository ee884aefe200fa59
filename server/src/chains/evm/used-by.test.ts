import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { usedByBlock } from './used-by.ts'

const VIEW = { view: { target: '0x01', data: '02' }, isUsed: (value: bigint) => value === 1n }
const HASH = `0x${'a7'.repeat(32)}`
const OTHER = `0x${'b7'.repeat(32)}`
const UNUSED = 0n
const UNKNOWN = 0n

interface Node {
  /** What its newest block says: the use, its height, and the hash at the height of the attempt. */
  readonly newest: readonly [bigint, bigint, bigint]
  /** What the block of the attempt says when it is asked by its hash; left out, it is not there. */
  readonly atAttempt?: bigint
}

/** What is told of an attempt in block 7, and the blocks that were asked by their hash. */
async function told({ newest, atAttempt }: Node) {
  const asked: unknown[] = []
  const read = async <Value>({ params, parse }: Read<Value>): Promise<Value> => {
    asked.push(params.at(1))
    if (atAttempt === undefined) throw new NodeFailure('header not found')
    const word = (value: number | bigint) => value.toString(16).padStart(64, '0')
    return parse(`0x${[0x20, 1, 0x20, 1, 0x40, 0x20].map(word).join('')}${word(atAttempt)}`)
  }
  const deps = { views: { read: async () => newest }, transport: { read } }
  return { used: await usedByBlock(deps, VIEW, { height: 7n, hash: HASH }), asked }
}

test.each<readonly [string, Node, Awaited<ReturnType<typeof told>>]>([
  [
    'is used where the newest block says so',
    { newest: [1n, 7n, UNKNOWN] },
    { used: 'used', asked: [] },
  ],
  [
    'is behind where a node has not come to that block',
    { newest: [UNUSED, 6n, UNKNOWN] },
    { used: 'behind', asked: [] },
  ],
  [
    'is unused where a later block is built on that one',
    { newest: [UNUSED, 9n, BigInt(HASH)] },
    { used: 'unused', asked: [] },
  ],
  [
    'is behind where a later block is built on another one',
    { newest: [UNUSED, 9n, BigInt(OTHER)] },
    { used: 'behind', asked: [] },
  ],
  [
    'is unused so far below the newest block that no hash is shown',
    { newest: [UNUSED, 300n, UNKNOWN] },
    { used: 'unused', asked: [] },
  ],
  [
    'is unused where that very block says so',
    { newest: [UNUSED, 7n, UNKNOWN], atAttempt: 0n },
    { used: 'unused', asked: [{ blockHash: HASH }] },
  ],
  [
    'is used where that very block says so',
    { newest: [UNUSED, 7n, UNKNOWN], atAttempt: 1n },
    { used: 'used', asked: [{ blockHash: HASH }] },
  ],
  [
    'is behind where another block stands in its place',
    { newest: [UNUSED, 7n, UNKNOWN] },
    { used: 'behind', asked: [{ blockHash: HASH }] },
  ],
])('an authorization %s', async (_what, node, expected) => {
  expect(await told(node)).toEqual(expected)
})
