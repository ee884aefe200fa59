import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Block, Chain, TransactionHash } from '../chain.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../json-rpc/test-node.ts'
import { parseAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import { signTerms } from './sign.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { NATIVE, USDC, testNetwork } from './test-network.ts'

const ETHER = 10n ** 18n
const GWEI = 10n ** 9n
const FEES = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Code that logs transfers of ERC-20's shape, as a token would that moves to several in one call. */
const logging = (...transfers: readonly (readonly [Address, Address, number])[]): string => {
  const pushed = (address: Address) => `73${address.slice(2)}`
  const one = ([from, to, amount]: (typeof transfers)[number]) =>
    `60${amount.toString(16).padStart(2, '0')}600052${pushed(to)}${pushed(from)}7f${TRANSFER}60206000a3`
  return `0x${transfers.map(one).join('')}00`
}
const REVERTING = '0x60006000fd'

function chainOf(url: string, change: Partial<NetworkConfig> = {}): Chain {
  const config = testNetwork([url], change)
  return connectEvm({ config, log: openLog('silent'), clock: systemClock })
}
const of =
  (...ours: readonly Address[]) =>
  async (asked: readonly Address[]) =>
    new Set(asked.filter((each) => ours.includes(each)))

describe('what arrives on a real chain', () => {
  let t: TestChain
  let payer: TestWallet
  beforeAll(async () => {
    t = await startTestChain()
    payer = await t.wallet(['native', '10'], ['USDC', '100'])
    await t.sandbox.fault({ kind: 'stop-blocks' })
  }, 240_000)
  afterAll(() => t.sandbox.stop())

  /** Sends calls of the payer and gives the block that they are all in. */
  async function block(
    ...calls: readonly { to: Address; value?: bigint; data?: Uint8Array }[]
  ): Promise<Block> {
    const { latest } = await t.chain.lanePosition(payer.address)
    for (const [index, { to, value = 0n, data = new Uint8Array() }] of calls.entries()) {
      const { raw } = await signTerms(
        {
          chainId: 84_532n,
          sender: payer.address,
          call: { to, value, data },
          gas: 500_000n,
          fees: FEES,
          dataFeeMax: baseUnits(0n),
        },
        latest + BigInt(index),
        payer.signer,
      )
      await t.rpc('eth_sendRawTransaction', `0x${Buffer.from(raw).toString('hex')}`)
    }
    await t.sandbox.mine()
    const { height } = await t.chain.head()
    const [mined] = await t.chain.blocks(height, 1)
    if (mined?.transactionHashes.length !== calls.length) throw new Error('not all were mined')
    return mined
  }
  const token = (to: Address, amount: bigint) => ({
    to: known(USDC.asset),
    data: Buffer.from(
      `a9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`,
      'hex',
    ),
  })
  const placeOf = ({ height, hash, transactionHashes }: Block, index = 0) => ({
    height,
    blockHash: hash,
    transactionHash: transactionHashes[index],
  })

  test('is coin and token, each with its place, in two round trips', async () => {
    const { address } = await t.wallet()
    const first = await block({ to: address, value: 7n }, token(address, 9n))
    const second = await block(token(address, 8n))
    t.requests()
    const found = await t.chain.arrivals([first, second], of(address))
    expect(t.requests()).toBe(2)
    const moved = { from: payer.address, to: address }
    const inTokens = { ...moved, asset: USDC.asset, effectIndex: 0 }
    expect(found).toEqual([
      { ...placeOf(first), ...moved, asset: 'native', amount: 7n, effectIndex: -1 },
      { ...placeOf(first, 1), ...inTokens, amount: 9n },
      { ...placeOf(second), ...inTokens, amount: 8n },
    ])
    expect(await t.chain.arrivals([], of(address))).toEqual([])
    expect(await t.chain.arrivals([await block()], of(address))).toEqual([])
  })

  test('is asked about once per read, with everybody who may have got something', async () => {
    const [one, other] = [(await t.wallet()).address, (await t.wallet()).address]
    const blocks = [
      await block({ to: one, value: 7n }, token(one, 1n)),
      await block(token(other, 9n)),
    ]
    const asked: (readonly Address[])[] = []
    t.requests()
    const found = await t.chain.arrivals(blocks, async (addresses) => {
      asked.push(addresses)
      return new Set()
    })
    expect([asked, found, t.requests()]).toEqual([[[one, other]], [], 1])
  })

  test('is every transfer of one transaction, whoever made it, under its own index', async () => {
    const [one, other] = [(await t.wallet()).address, (await t.wallet()).address]
    const maker = await t.contract(
      logging(
        [payer.address, one, 5],
        [payer.address, one, 5],
        [one, other, 6],
        [one, payer.address, 7],
      ),
    )
    const assets = [NATIVE, { ...USDC, symbol: 'MADE', asset: maker }]
    const called = await block({ to: maker }, { to: maker })
    const found = await chainOf(t.sandbox.rpcUrl, { assets }).arrivals([called], of(one, other))
    const seen = found?.map(({ to, amount, effectIndex, transactionHash }) => [
      called.transactionHashes.indexOf(transactionHash),
      to,
      amount,
      effectIndex,
    ])
    expect(seen).toEqual([
      [0, one, 5n, 0],
      [0, one, 5n, 1],
      [0, other, 6n, 2],
      [1, one, 5n, 4],
      [1, one, 5n, 5],
      [1, other, 6n, 6],
    ])
  })

  test('is nothing of a token that is not listed, of amount 0, or of a transaction that failed', async () => {
    const { address } = await t.wallet()
    const unlisted = await t.contract(logging([payer.address, address, 5]))
    const listed = await t.contract(logging([payer.address, address, 0]))
    const failing = await t.contract(REVERTING)
    const assets = [NATIVE, USDC, { ...USDC, symbol: 'ZERO', asset: listed }]
    const mined = await block(
      { to: unlisted },
      { to: listed },
      { to: failing, value: 5n },
      token(address, 1_000n * ETHER),
      { to: address, value: 0n },
    )
    const chain = chainOf(t.sandbox.rpcUrl, { assets })
    expect(await chain.arrivals([mined], of(address, failing))).toEqual([])
  })

  test('is not to be known of a block that a reorg has taken away', async () => {
    const { address } = await t.wallet()
    const gone = await block(token(address, 9n))
    await t.sandbox.fault({ kind: 'reorg', depth: 1 })
    expect(await t.chain.arrivals([gone], of(address))).toBeUndefined()
  })
})

describe('a node that says of a block', () => {
  const word = (digit: string): string => `0x${digit.repeat(64)}`
  const HASH = word('a') as TransactionHash
  const WALLET = known('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  const BLOCK: Block = {
    height: 16n,
    hash: word('b'),
    parentHash: word('c'),
    timeMilliseconds: 0,
    transactionHashes: [HASH],
  }
  const TRANSACTION = { hash: HASH, from: WALLET, to: WALLET.toLowerCase(), value: '0x5' }
  const topic = `0x${WALLET.slice(2).toLowerCase().padStart(64, '0')}`
  const LOG = {
    address: USDC.asset.toLowerCase(),
    blockHash: BLOCK.hash,
    transactionHash: HASH,
    logIndex: '0x3',
    topics: [`0x${TRANSFER}`, topic, topic],
    data: `0x${'6'.padStart(64, '0')}`,
  }
  const GOOD: Readonly<Record<string, unknown>> = {
    eth_getBlockByHash: { hash: BLOCK.hash, transactions: [TRANSACTION] },
    eth_getLogs: [LOG],
    eth_getTransactionReceipt: { blockHash: BLOCK.hash, status: '0x1' },
    eth_blockNumber: '0x10',
  }
  const nodes: TestNode[] = []
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })
  async function arrivals(change: Readonly<Record<string, unknown>>) {
    const answers = { ...GOOD, ...change }
    const reply = (method: string): Reply => {
      const answer = answers[method] ?? null
      return answer instanceof Error
        ? { error: { code: -32_000, message: answer.message } }
        : { result: answer }
    }
    const node = await startTestNode({ reply })
    nodes.push(node)
    return chainOf(node.url).arrivals([BLOCK], of(WALLET))
  }

  test('what it should is believed', async () => {
    expect(await arrivals({})).toMatchObject([
      { to: WALLET, asset: 'native', amount: 5n, effectIndex: -1 },
      { to: WALLET, asset: USDC.asset, amount: 6n, effectIndex: 3 },
    ])
  })

  test('and has no receipt of what it brought is no witness: the next node is asked', async () => {
    const replyOf =
      (answers: Readonly<Record<string, unknown>>) =>
      (method: string): Reply => ({ result: answers[method] ?? null })
    const without = { ...GOOD, eth_getTransactionReceipt: null }
    const both = await Promise.all(
      [without, GOOD].map((each) => startTestNode({ reply: replyOf(each) })),
    )
    nodes.push(...both)
    const config = testNetwork(both.map(({ url }) => url))
    const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock })
    const found = await chain.arrivals([BLOCK], of(WALLET))
    expect(found?.map(({ asset }) => asset)).toEqual(['native', USDC.asset])
  })

  test('one thing twice says it once', async () => {
    const twice = await arrivals({
      eth_getBlockByHash: { hash: BLOCK.hash, transactions: [TRANSACTION, TRANSACTION] },
      eth_getLogs: [LOG, LOG, { ...LOG, logIndex: '0x4' }],
    })
    expect(twice?.map(({ effectIndex }) => effectIndex)).toEqual([-1, 3, 4])
  })

  /** All but one bit of a filter are there, or that one alone. */
  const [HOLDS, EXCLUDES] = [`0x${'ff'.repeat(255)}fe`, `0x${'00'.repeat(255)}01`]
  const filtered = (logsBloom: string, gasUsed: string) => ({
    eth_getBlockByHash: { hash: BLOCK.hash, transactions: [TRANSACTION], logsBloom, gasUsed },
    eth_getLogs: [],
  })

  test('that no token moved there is believed only where the block itself lets that be', async () => {
    // A machine that does not have the block, behind the address of one that does.
    await expect(arrivals(filtered(HOLDS, '0x5208'))).rejects.toThrow(NodeFailure)
    for (const logsBloom of [EXCLUDES, `0x${'00'.repeat(256)}`, `0x${'ff'.repeat(256)}`]) {
      expect(await arrivals(filtered(logsBloom, '0x5208'))).toMatchObject([{ asset: 'native' }])
    }
  })

  test('where no log at all is shown though the filter holds some, the receipts of the block say what it logged', async () => {
    const receipt = { blockHash: BLOCK.hash, status: '0x1' }
    const shown = (...receipts: readonly object[]) =>
      arrivals({
        ...filtered(HOLDS, '0x5208'),
        eth_getTransactionReceipt: Object.assign({}, receipt, ...receipts),
      })
    // Of a chain whose filters hold what nobody is told: it is read on.
    const [none, some] = [`0x${'00'.repeat(256)}`, `0x${'00'.repeat(255)}04`]
    expect(await shown({ logs: [], logsBloom: none })).toMatchObject([{ asset: 'native' }])
    const both = await shown({ logs: [LOG], logsBloom: some })
    expect(both?.map(({ asset }) => asset)).toEqual(['native', USDC.asset])
    // Who keeps no logs, has the transaction elsewhere, or not at all, is no witness.
    await expect(shown({ logs: [], logsBloom: some })).rejects.toThrow(NodeFailure)
    await expect(shown({ logs: [], blockHash: word('d') })).rejects.toThrow(NodeFailure)
    const absent = { ...filtered(HOLDS, '0x5208'), eth_getTransactionReceipt: null }
    await expect(arrivals(absent)).rejects.toThrow(NodeFailure)
  })

  test.each<[string, string, Reply, readonly string[]]>([
    ['has it from another machine', '0x5208', { result: [LOG] }, ['native', USDC.asset]],
    [
      'has none where something else logged',
      '0x5208',
      { result: [{ ...LOG, address: WALLET }] },
      ['native'],
    ],
    [
      'passes over a block with more logs than nodes give',
      '0x1c9c380',
      { error: { code: -32_005, message: 'query returned more than 10000 results' } },
      ['native'],
    ],
  ])('that no token moved there, asked for all logs, %s', async (_, gasUsed, whole, assets) => {
    const answers: Readonly<Record<string, unknown>> = { ...GOOD, ...filtered(HOLDS, gasUsed) }
    const reply = (method: string, [first]: readonly unknown[]): Reply =>
      method === 'eth_getLogs' && !Object.hasOwn(Object(first), 'topics')
        ? whole
        : { result: answers[method] }
    const node = await startTestNode({ reply })
    nodes.push(node)
    const found = await chainOf(node.url).arrivals([BLOCK], of(WALLET))
    expect(found?.map(({ asset }) => asset)).toEqual(assets)
  })

  test('a filter with everything in it is asked behind where that many logs can be, and then excludes nothing', async () => {
    const [full, many] = [`0x${'ff'.repeat(256)}`, '0x3e800']
    const shown = async (whole: Reply, gasUsed = many) => {
      const answers: Readonly<Record<string, unknown>> = { ...GOOD, ...filtered(full, gasUsed) }
      const asked: string[] = []
      const reply = (method: string, [first]: readonly unknown[]): Reply => {
        asked.push(method)
        const isWhole = method === 'eth_getLogs' && !Object.hasOwn(Object(first), 'topics')
        return isWhole ? whole : { result: answers[method] }
      }
      const node = await startTestNode({ reply })
      nodes.push(node)
      const found = await chainOf(node.url).arrivals([BLOCK], of(WALLET))
      const questions = asked.filter((method) => method === 'eth_getLogs').length
      return { assets: found?.map(({ asset }) => asset), questions }
    }
    const [both, native] = [['native', USDC.asset], ['native']]
    expect(await shown({ result: [LOG] })).toEqual({ assets: both, questions: 2 })
    // A chain that fills no filter may write it so, and a block without any log is whole.
    expect(await shown({ result: [] })).toEqual({ assets: native, questions: 2 })
    expect(await shown({ result: [LOG] }, '0x5208')).toEqual({ assets: native, questions: 1 })
  })

  test('is asked for a few full blocks at a time, and leaves none out', async () => {
    const many = Array.from({ length: 300 }, () => ({ value: '0x0' }))
    const blocks = Array.from({ length: 20 }, (_, index) => ({
      ...BLOCK,
      height: BigInt(index),
      hash: `0x${(index + 1).toString(16).padStart(64, '0')}`,
      transactionHashes: many.flatMap(() => BLOCK.transactionHashes),
    }))
    const reply = (method: string, [first]: readonly unknown[]): Reply => {
      if (method !== 'eth_getLogs') return { result: { hash: first, transactions: many } }
      const { blockHash } = first as { blockHash: string }
      return { result: [{ ...LOG, blockHash }] }
    }
    const node = await startTestNode({ reply })
    nodes.push(node)
    const found = await chainOf(node.url).arrivals(blocks, of(WALLET))
    expect(found?.map(({ blockHash }) => blockHash)).toEqual(blocks.map(({ hash }) => hash))
    const asked = node.requests.map(
      (methods) => methods.filter((method) => method === 'eth_getLogs').length,
    )
    expect(asked).toEqual([8, 8, 4])
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['that it is not there', { eth_getBlockByHash: null }],
    ['that its transaction has no receipt', { eth_getTransactionReceipt: null }],
    [
      'that its transaction is in another one',
      { eth_getTransactionReceipt: { blockHash: word('d'), status: '0x1' } },
    ],
  ])('%s tells that the chain has moved', async (_, change) => {
    expect(await arrivals(change)).toBeUndefined()
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['that it is another one', { eth_getBlockByHash: { hash: word('d'), transactions: [] } }],
    [
      'that it holds nothing, where another machine told a transaction of it,',
      { eth_getBlockByHash: { hash: BLOCK.hash, transactions: [] } },
    ],
    ['that it has hashes only', { eth_getBlockByHash: { hash: BLOCK.hash, transactions: [HASH] } }],
    ['that it knows no logs of it', { eth_getLogs: new Error('unknown block') }],
    ['nothing when asked for its logs', { eth_getLogs: null }],
    ['what stands in another block', { eth_getLogs: [{ ...LOG, blockHash: word('d') }] }],
    ['no status', { eth_getTransactionReceipt: { blockHash: BLOCK.hash } }],
  ])('%s has failed', async (_, change) => {
    await expect(arrivals(change)).rejects.toThrow(NodeFailure)
  })
})

function known(text: string): Address {
  const address = parseAddress(text)
  if (address === undefined) throw new Error('no address')
  return address
}
