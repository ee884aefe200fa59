import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { NodeFailure } from '../chain.ts'
import type { Chain } from '../chain.ts'
import { transactionHashFrom } from './answer.ts'
import { connectEvm } from './connect.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../json-rpc/test-node.ts'
import { USDC, testNetwork } from './test-network.ts'

const word = (digit: string): string => `0x${digit.repeat(64)}`
const HASH = transactionHashFrom(word('a'), 'hash')
const BLOCK = word('b')
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ALICE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const BOB = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const topic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`

/** A filter of logs with so many bits. */
const filterOf = (bits: number) => `0x${'1'.repeat(bits).padStart(512, '0')}`

const LOG = {
  address: USDC.asset.toLowerCase(),
  topics: [TRANSFER, topic(ALICE), topic(BOB)],
  data: `0x${(1_500_000).toString(16).padStart(64, '0')}`,
  logIndex: '0x7',
}
const RECEIPT = {
  transactionHash: HASH,
  blockNumber: '0x10',
  blockHash: BLOCK,
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00',
  logs: [LOG],
}
const block = (hash: string, number = '0x10'): object => ({
  number,
  hash,
  parentHash: word('c'),
  timestamp: '0x6a000000',
  transactions: [],
})

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

test('what stands in a block that was just read is asked of the next node where one has no receipt of it', async () => {
  const [without, whole] = [await chainWith(null), await chainWith(RECEIPT)]
  const config = testNetwork([without.node.url, whole.node.url])
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
  const followed = [{ height: 16n, hash: BLOCK, transactionHashes: [HASH] }]
  expect(await chain.outcomes([HASH])).toEqual([{ state: 'absent' }])
  expect(await chain.outcomes([HASH], followed)).toMatchObject([{ state: 'mined' }])
  expect(await without.chain.outcomes([HASH], followed)).toEqual([{ state: 'absent' }])
})

/** A chain whose node shows the given receipt, and the given block at its height. */
async function chainWith(
  receipt: unknown,
  canonical: unknown = block(BLOCK),
): Promise<{ chain: Chain; node: TestNode }> {
  const answers: Record<string, unknown> = {
    eth_getTransactionReceipt: receipt,
    eth_getBlockByNumber: canonical,
    eth_blockNumber: '0x10',
  }
  const reply = (method: string): Reply => ({ result: answers[method] ?? null })
  const node = await startTestNode({ reply })
  nodes.push(node)
  const options = { config: testNetwork([node.url]), log: openLog('silent'), clock: systemClock }
  return { chain: connectEvm(options), node }
}

describe('what the chain shows of a transaction', () => {
  test('is its place, its fee and the transfers of known tokens', async () => {
    const { chain } = await chainWith(RECEIPT)
    expect(await chain.outcomes([HASH])).toEqual([
      {
        state: 'mined',
        height: 16n,
        blockHash: BLOCK,
        succeeded: true,
        feePaid: 21_000n * 1_000_000_000n,
        transfers: [{ asset: USDC.asset, from: ALICE, to: BOB, amount: 1_500_000n, logIndex: 7 }],
      },
    ])
  })

  test('is one round trip while nothing is mined, and two when something is', async () => {
    const absent = await chainWith(null)
    expect(await absent.chain.outcomes([HASH, HASH])).toEqual([
      { state: 'absent' },
      { state: 'absent' },
    ])
    expect(absent.node.requests).toHaveLength(1)
    const mined = await chainWith(RECEIPT)
    await mined.chain.outcomes([HASH])
    expect(mined.node.requests).toHaveLength(2)
  })

  test('is one round trip when it stands in a block that was just read', async () => {
    const followed = [{ height: 16n, hash: BLOCK, transactionHashes: [HASH] }]
    const { chain, node } = await chainWith(RECEIPT)
    expect(await chain.outcomes([HASH], followed)).toMatchObject([{ state: 'mined' }])
    expect(node.requests).toHaveLength(1)
    // What the node shows at that height now is not asked: the block that was read is the chain's.
    const replaced = await chainWith(RECEIPT)
    const other = [{ height: 16n, hash: word('d'), transactionHashes: [HASH] }]
    expect(await replaced.chain.outcomes([HASH], other)).toEqual([{ state: 'absent' }])
    const elsewhere = await chainWith(RECEIPT, block(word('d')))
    const above = [{ height: 17n, hash: BLOCK, transactionHashes: [] }]
    expect(await elsewhere.chain.outcomes([HASH], above)).toEqual([{ state: 'absent' }])
    expect(elsewhere.node.requests).toHaveLength(2)
  })

  test.each<[string, object, bigint | undefined]>([
    [
      'what the price was above the base fee of its block',
      { baseFeePerGas: '0x3b9ac9fe' },
      42_000n,
    ],
    ['nothing where a roll-up charges less than that', { baseFeePerGas: '0x3b9aca01' }, 0n],
    ['not told where blocks have no base fee', {}, undefined],
  ])('tells its priority fee: %s', async (_, fields, paid) => {
    const { chain, node } = await chainWith(RECEIPT, { ...block(BLOCK), ...fields })
    const [asked] = await chain.outcomes([HASH])
    if (asked?.state !== 'mined') throw new Error('it is not mined')
    expect(asked.priorityFeePaid).toBe(paid)
    expect(node.requests).toHaveLength(2)
    // A block that was just read has said it already.
    const followed = await chain.blocks(16n, 1)
    const [told] = await chain.outcomes([HASH], followed)
    expect(told).toEqual(asked)
    expect(node.requests).toHaveLength(4)
  })

  test("says that it failed, and includes the roll-up's own fee", async () => {
    const { chain } = await chainWith({ ...RECEIPT, status: '0x0', logs: [], l1Fee: '0x64' })
    expect(await chain.outcomes([HASH])).toMatchObject([
      { succeeded: false, feePaid: 21_000n * 1_000_000_000n + 100n, transfers: [] },
    ])
  })

  // Source: ethereum-optimism/specs, protocol/isthmus and protocol/jovian, exec-engine.md, "Operator Fee".
  test.each<[string, object, bigint]>([
    ['as since Isthmus', {}, (21_000n * 2_000_000n) / 1_000_000n + 7n],
    ['as since Jovian', { daFootprintGasScalar: '0x190' }, 21_000n * 2_000_000n * 100n + 7n],
  ])("includes what a roll-up's operator takes, %s", async (_, fork, operatorFee) => {
    const operator = { operatorFeeScalar: '0x1e8480', operatorFeeConstant: '0x7' }
    const { chain } = await chainWith({ ...RECEIPT, l1Fee: '0x64', ...operator, ...fork })
    expect(await chain.outcomes([HASH])).toMatchObject([
      { feePaid: 21_000n * 1_000_000_000n + 100n + operatorFee },
    ])
  })

  test.each<[string, string]>([
    ['holds none', filterOf(0)],
    ['is not filled by its chain', `0x${'f'.repeat(512)}`],
  ])('has no transfer without logs where the filter %s', async (_, logsBloom) => {
    const { chain } = await chainWith({ ...RECEIPT, logs: [], logsBloom })
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined', transfers: [] }])
  })

  test.each<[string, object]>([
    ['of another event', { topics: [word('e'), topic(ALICE), topic(BOB)] }],
    ['with an indexed amount (ERC-721)', { topics: [...LOG.topics, word('1')], data: '0x' }],
    ['without topics', { topics: [] }],
    ['with two words of data', { data: `0x${'0'.repeat(128)}` }],
  ])('has no transfer in a log %s', async (_, change) => {
    const { chain } = await chainWith({ ...RECEIPT, logs: [{ ...LOG, ...change }] })
    expect(await chain.outcomes([HASH])).toMatchObject([{ state: 'mined', transfers: [] }])
  })

  test.each<[string, unknown]>([
    ['is another one now', block(word('d'))],
    ['is gone', null],
  ])('is nothing when the block that it names %s', async (_, canonical) => {
    const { chain } = await chainWith(RECEIPT, canonical)
    expect(await chain.outcomes([HASH])).toEqual([{ state: 'absent' }])
  })

  test.each<[string, unknown, unknown?]>([
    ['a receipt of another transaction', { ...RECEIPT, transactionHash: word('f') }],
    ['a receipt without status', { ...RECEIPT, status: undefined }],
    ['a status of two', { ...RECEIPT, status: '0x2' }],
    ['a receipt without price', { ...RECEIPT, effectiveGasPrice: undefined }],
    ['a receipt without block', { ...RECEIPT, blockHash: null, blockNumber: null }],
    ['logs that are no list', { ...RECEIPT, logs: {} }],
    ['no logs, and a filter that holds some', { ...RECEIPT, logs: [], logsBloom: filterOf(1) }],
    ['a log without index', { ...RECEIPT, logs: [{ ...LOG, logIndex: null }] }],
    ['text for a receipt', 'mined'],
    ['another height than asked', RECEIPT, block(BLOCK, '0x11')],
    ['a block without hash', RECEIPT, { ...block(BLOCK), hash: null }],
  ])('is a failure of the node, not an absence, with %s', async (_, receipt, canonical) => {
    const { chain } = await chainWith(receipt, canonical ?? block(BLOCK))
    await expect(chain.outcomes([HASH])).rejects.toThrow(NodeFailure)
  })
})
