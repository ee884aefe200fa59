import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Block, Chain, TransactionHash } from '../chain.ts'
import { AnswerTooLong } from '../json-rpc/answer-too-long.ts'
import { shortAnswers } from '../json-rpc/test-short-answers.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { openPieces } from '../pieces.ts'
import { readArrivals } from './arrivals.ts'
import { areTooManyLogs } from './block-receipts.ts'
import { readBlockTransactions } from './block-transactions.ts'
import { connectEvm } from './connect.ts'
import { signTerms } from './sign.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { testNetwork, USDC } from './test-network.ts'

const GWEI = 10n ** 9n
const FEES = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
/** Of one transaction; twice as long in JSON. */
const FILLING_BYTES = 8_000
const FILLINGS = 6
/** More than one transaction takes, and less than a block of them. */
const ANSWER_BYTES_MAX = 30_000

let t: TestChain
let payer: TestWallet
beforeAll(async () => {
  t = await startTestChain()
  payer = await t.wallet(['native', '10'], ['USDC', '100'])
  await t.sandbox.fault({ kind: 'stop-blocks' })
}, 240_000)
afterAll(() => t.sandbox.stop())

interface Call {
  readonly to: Address
  readonly value: bigint
  readonly data: Uint8Array
}

async function blockOf(calls: readonly Call[]): Promise<Block> {
  const { latest } = await t.chain.lanePosition(payer.address)
  for (const [index, call] of calls.entries()) {
    const terms = { chainId: 84_532n, sender: payer.address, call, gas: 1_000_000n, fees: FEES }
    const { raw } = await signTerms(
      { ...terms, dataFeeMax: baseUnits(0n) },
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

/** A block that somebody has filled with call data, around a payment of coin and one of a token. */
async function filledBlock(to: Address): Promise<Block> {
  const transfer = `a9059cbb${to.slice(2).padStart(64, '0')}${'9'.padStart(64, '0')}`
  const filling = { to: payer.address, value: 0n, data: new Uint8Array(FILLING_BYTES).fill(7) }
  const token = { to: USDC.asset as Address, value: 0n, data: Buffer.from(transfer, 'hex') }
  return blockOf([
    ...Array.from({ length: FILLINGS }, () => filling),
    { to, value: 7n, data: new Uint8Array() },
    token,
  ])
}

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Code that logs as many transfers of one unit as that. */
const loggingCode = (to: Address, count: number): string =>
  `0x6001600052${`73${to.slice(2)}73${payer.address.slice(2)}7f${TRANSFER}60206000a3`.repeat(count)}00`

/** The same chain to somebody who reads no longer answers than that. */
function reader(
  responseBytesMax: number,
  change: Partial<NetworkConfig> = {},
): { readonly chain: Chain; readonly longest: () => number } {
  const { post, longest } = shortAnswers(responseBytesMax)
  const chain = connectEvm({
    config: testNetwork([t.sandbox.rpcUrl], change),
    ...{ log: openLog('silent'), clock: systemClock, post },
  })
  return { chain, longest }
}

test('what a block too long for one answer brought, and what its senders did, is read transaction by transaction', async () => {
  const { address } = await t.wallet()
  const blocks = [await filledBlock(address), await filledBlock(address)]
  const [whole, short] = [reader(10_000_000), reader(ANSWER_BYTES_MAX)]
  const ours = async (asked: readonly Address[]) =>
    new Set(asked.filter((each) => each === address))
  const arrivals = await short.chain.arrivals(blocks, ours)
  expect(arrivals).toMatchObject([
    { asset: 'native', amount: 7n, to: address },
    { asset: USDC.asset, amount: 9n, to: address },
    { asset: 'native', amount: 7n, to: address },
    { asset: USDC.asset, amount: 9n, to: address },
  ])
  expect(arrivals).toEqual(await whole.chain.arrivals(blocks, ours))

  const watched = async () => ({
    senders: new Set([payer.address]),
    commitments: new Set<string>(),
  })
  const seen = await short.chain.selfCustody?.sightings(blocks, watched)
  expect(seen).toHaveLength(2 * (FILLINGS + 2))
  const inOrder = (some: typeof seen) =>
    some?.toSorted((one, other) => (one.transactionHash < other.transactionHash ? -1 : 1))
  const all = await whole.chain.selfCustody?.sightings(blocks, watched)
  expect(JSON.stringify(inOrder(seen), text)).toBe(JSON.stringify(inOrder(all), text))
  expect(whole.longest()).toBeGreaterThan(3 * ANSWER_BYTES_MAX)
  expect(short.longest()).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
})

test('more transfers of tokens than one answer may hold are read from the receipts', async () => {
  const { address } = await t.wallet()
  const [calls, each] = [3, 25]
  const made = await t.contract(loggingCode(address, each))
  const call = { to: made, value: 0n, data: new Uint8Array() }
  const block = await blockOf(Array.from({ length: calls }, () => call))
  const assets = [{ ...USDC, symbol: 'MADE', asset: made }]
  const [whole, short] = [reader(10_000_000, { assets }), reader(ANSWER_BYTES_MAX, { assets })]
  const ours = async () => new Set([address])
  const arrivals = await short.chain.arrivals([block], ours)
  expect(arrivals).toHaveLength(calls * each)
  expect(arrivals).toEqual(await whole.chain.arrivals([block], ours))
  expect(whole.longest()).toBeGreaterThan(ANSWER_BYTES_MAX)
  expect(short.longest()).toBeLessThanOrEqual(ANSWER_BYTES_MAX)
})

const text = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : value

const hash = (digit: string) => `0x${digit.repeat(64)}`
const block: Block = {
  ...{ height: 5n, hash: hash('a'), parentHash: hash('b'), timeMilliseconds: 0 },
  transactionHashes: ['1', '2'].map((digit) => hash(digit) as TransactionHash),
}

/** A node that answers the whole block at too great length. */
const longNode = (transactions: readonly string[], one: (of: string) => unknown): Transport => {
  const read: Transport['read'] = async <Value>({ method, params, parse }: Read<Value>) => {
    if (params[1] === true) throw new AnswerTooLong('too long')
    return parse(
      method === 'eth_getBlockByHash' ? { hash: block.hash, transactions } : one(String(params[0])),
    )
  }
  return { read } as Transport
}
const told = (of: string, change: object = {}) => ({ hash: of, blockHash: block.hash, ...change })

test.each<[string, (of: string) => unknown]>([
  ['is gone', (of) => (of === hash('2') ? null : told(of))],
  ['is in no block', (of) => (of === hash('2') ? told(of, { blockHash: null }) : told(of))],
  [
    'is in another block',
    (of) => (of === hash('2') ? told(of, { blockHash: hash('c') }) : told(of)),
  ],
])('is not read where one of its transactions %s meanwhile', async (_, one) => {
  const node = longNode(block.transactionHashes, one)
  expect(
    await readBlockTransactions(
      node,
      block,
      ({ hash: of }) => [of],
      openPieces<readonly unknown[]>(),
    ),
  ).toBeUndefined()
  const sound = longNode(block.transactionHashes, (of) => told(of))
  expect(
    await readBlockTransactions(
      sound,
      block,
      ({ hash: of }) => [of],
      openPieces<readonly unknown[]>(),
    ),
  ).toMatchObject({
    found: block.transactionHashes,
  })
})

test.each([
  ['does not have', null],
  ['has in no block', told(hash('2'), { blockHash: null })],
])('is read from the next node where one %s one of its transactions', async (_, lacking) => {
  const behind = longNode(block.transactionHashes, (of) => (of === hash('2') ? lacking : told(of)))
  const sound = longNode(block.transactionHashes, (of) => told(of))
  const read: Transport['read'] = async (one) =>
    behind.read(one).catch((error: unknown) => {
      if (!(error instanceof NodeFailure)) throw error
      return sound.read(one)
    })
  const found = ({ hash: of }: { readonly hash?: unknown }) => [of]
  const seen = await readBlockTransactions({ read }, block, found, openPieces<readonly unknown[]>())
  expect(seen).toMatchObject({ found: block.transactionHashes })
})

test('is not read from a node that shows fewer of its transactions, or others, than it was told to hold', async () => {
  const found = (node: Transport) =>
    readBlockTransactions(node, block, ({ hash: of }) => [of], openPieces<readonly unknown[]>())
  await expect(found(longNode([hash('1')], (of) => told(of)))).rejects.toThrow('1 of the 2')
  const other = longNode(block.transactionHashes, () => told(hash('1')))
  await expect(found(other)).rejects.toThrow('transaction hash')
})

test.each([
  'query returned more than 10000 results',
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
  'query exceeds max results 20000, retry with the range 1-1',
  'too many logs in the answer',
  'response size exceeded',
])('a node that bounds its logs says so: %s', (message) => {
  expect(areTooManyLogs({ message })).toBe(true)
})

test.each([
  'limit exceeded',
  'daily request count exceeded, request rate limited',
  'too many requests',
  'too many requests, please log in',
  'block range is too wide',
  'your app has exceeded its compute units per second capacity',
  'unknown block',
])('and does not by: %s', (message) => {
  expect(areTooManyLogs({ message })).toBe(false)
})

/** A node that refuses the logs of a block in these words, and shows each transaction without any. */
const refusing = (message: string, asked: string[]): Transport => {
  const read: Transport['read'] = async <Value>({
    method,
    params,
    parse,
    meaning,
  }: Read<Value>) => {
    asked.push(method)
    if (method === 'eth_getLogs') {
      const value = meaning?.({ code: -32_005, message })
      if (value === undefined) throw new NodeFailure(message)
      return value
    }
    return parse(
      method === 'eth_getTransactionReceipt'
        ? { transactionHash: params[0], blockHash: block.hash, logs: [] }
        : {
            ...{ hash: block.hash, gasUsed: '0x5208', logsBloom: `0x${'00'.repeat(256)}` },
            transactions: block.transactionHashes.map((of) => ({
              hash: of,
              to: null,
              value: '0x0',
            })),
          },
    )
  }
  return { read } as Transport
}

test('only who is told that there are too many asks for receipts', async () => {
  const config = testNetwork([t.sandbox.rpcUrl])
  const none = async () => new Set<Address>()
  const asked: string[] = []
  const many = refusing('query returned more than 10000 results', asked)
  expect(await readArrivals({ transport: many, config }, [block], none)).toEqual([])
  expect(asked.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(2)
  asked.splice(0)
  const rated = refusing('too many requests', asked)
  await expect(readArrivals({ transport: rated, config }, [block], none)).rejects.toThrow(
    'requests',
  )
  expect(asked).not.toContain('eth_getTransactionReceipt')
})
