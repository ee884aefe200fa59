import { afterEach, expect, test } from 'vitest'
import { testNetwork } from '@florin/server/chains/evm/test-network.ts'
import { startTestNode } from '@florin/server/chains/json-rpc/test-node.ts'
import type { TestNode } from '@florin/server/chains/json-rpc/test-node.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { findNodeProblems } from './node-problems.ts'

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})
const NOBODY = 'http://127.0.0.1:1'
/** A node whose chain has this code at Multicall3's address. */
async function nodeWith(code: string): Promise<string> {
  const node = await startTestNode({
    reply: (method) =>
      method === 'eth_getCode'
        ? { result: code }
        : { error: { code: -32601, message: 'Method not found' } },
  })
  nodes.push(node)
  return node.url
}

test('a network of which nothing can be read keeps the service from starting, and says what is missing', async () => {
  const { problems } = await findNodeProblems([testNetwork([await nodeWith('0x')])], systemClock)
  expect(problems).toEqual([
    {
      what: expect.stringMatching(/^Node 1 of eip155:84532 .* cannot be read from: .*Multicall3/),
      next: expect.stringContaining('caught up'),
    },
  ])
})

test('a node that only lags behind another, or beside one that is away, keeps nothing from starting', async () => {
  for (const other of [await nodeWith('0x6080'), NOBODY]) {
    const network = testNetwork([await nodeWith('0x'), other])
    const { problems, reports } = await findNodeProblems([network], systemClock)
    expect(problems).toEqual([])
    expect(reports[0]?.finding.kind).toBe('unfit')
  }
})
