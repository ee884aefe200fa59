import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { NodeFailure } from '../../chain.ts'
import type { Block, TransactionHash } from '../../chain.ts'
import { startTestNode } from '../../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../../json-rpc/test-node.ts'
import type { MarketFact } from '../../market.ts'
import { connectEvm } from '../connect.ts'
import { testNetwork } from '../test-network.ts'
import { V2_POOLS } from './pool-logs.ts'

const word = (digit: string): string => `0x${digit.repeat(64)}`
const padded = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
const FACTORY = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6'
const WRAPPED = '0x4200000000000000000000000000000000000006'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const POOL = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const SIGNER = POOL
const BLOCK: Block = {
  height: 16n,
  hash: word('b'),
  parentHash: word('c'),
  timeMilliseconds: 0,
  transactionHashes: [word('a') as TransactionHash],
}
/** The factory made a pool. */
const LOG = {
  address: FACTORY.toLowerCase(),
  blockHash: BLOCK.hash,
  transactionHash: word('a'),
  logIndex: '0x0',
  topics: [V2_POOLS.createdTopic, padded(TOKEN), padded(WRAPPED)],
  data: `${padded(POOL)}${'1'.padStart(64, '0')}`,
}
/** All but one bit of a filter are there, or that one alone. */
const [HOLDS, EXCLUDES] = [`0x${'ff'.repeat(255)}fe`, `0x${'00'.repeat(255)}01`]

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

/** What the markets of the block did, by the word of a node with this filter, these logs of the topics, and all of these, and what it was asked. */
async function read(
  logsBloom: string,
  logs: readonly object[],
  whole: Reply = { result: [] },
  gasUsed = '0x5208',
): Promise<{ facts: readonly MarketFact[] | undefined; asked: readonly string[] }> {
  const answers: Readonly<Record<string, unknown>> = {
    eth_getBlockByHash: { hash: BLOCK.hash, transactions: [], logsBloom, gasUsed },
    eth_getLogs: logs,
    eth_getTransactionByHash: { blockHash: BLOCK.hash, from: SIGNER },
  }
  const reply = (method: string, [first]: readonly unknown[]): Reply =>
    method === 'eth_getLogs' && !Object.hasOwn(Object(first), 'topics')
      ? whole
      : { result: answers[method] ?? null }
  const node = await startTestNode({ reply })
  nodes.push(node)
  const config = testNetwork([node.url], {
    markets: [
      {
        venue: 'uniswap-v2',
        factory: FACTORY,
        router: FACTORY,
        wrappedNative: WRAPPED,
      },
    ],
  })
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
  const facts = await chain.market?.read([BLOCK])
  const asked = node.requests.flat().filter((method) => method !== 'eth_chainId')
  return { facts, asked }
}

describe('that nothing was traded in a block', () => {
  test('is believed only where the block itself lets that be', async () => {
    // A machine that does not have the block, behind the address of one that does.
    await expect(read(HOLDS, [])).rejects.toThrow(NodeFailure)
    for (const bloom of [EXCLUDES, `0x${'00'.repeat(256)}`, `0x${'ff'.repeat(256)}`, '0x']) {
      expect((await read(bloom, [])).facts).toEqual([])
    }
  })

  test('costs no question more where the block excludes it, nor does what is shown', async () => {
    const ordinary = ['eth_getBlockByHash', 'eth_getLogs']
    expect((await read(EXCLUDES, [])).asked).toEqual(ordinary)
    const { facts, asked } = await read(HOLDS, [LOG])
    expect(facts).toMatchObject([{ kind: 'opened', mint: TOKEN, market: POOL }])
    expect(asked).toEqual([...ordinary, 'eth_getTransactionByHash'])
  })

  test.each<[string, Reply, string, readonly string[]]>([
    ['is told otherwise by another machine', { result: [LOG] }, '0x5208', ['opened']],
    [
      'is so where something else logged',
      { result: [{ ...LOG, topics: [word('d')] }] },
      '0x5208',
      [],
    ],
    [
      'is so in a block with more logs than nodes give',
      { error: { code: -32_005, message: 'query returned more than 10000 results' } },
      '0x1c9c380',
      [],
    ],
  ])('%s, asked for all logs', async (_, whole, gasUsed, kinds) => {
    const { facts } = await read(HOLDS, [], whole, gasUsed)
    expect(facts?.map(({ kind }) => kind)).toEqual(kinds)
  })
})
