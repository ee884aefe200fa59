import { afterEach, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import { Secret } from '../../kernel/secret.ts'
import type { Address } from '../chain.ts'
import { startTestNode } from '../json-rpc/test-node.ts'
import type { Reply, TestNode } from '../json-rpc/test-node.ts'
import { requireAddress } from './account.ts'
import { connectEvm } from './connect.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'
import { testNetwork, USDC } from './test-network.ts'

const WALLET = requireAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
const word = (text: string) => `0x${text.padStart(64, '0')}`
const hashAt = (height: number) => word(`b${height}`)
/** The filter of a block that holds transfers of USDC and no other log; and of one that holds some other log. */
const filter = (...bits: readonly number[]) =>
  `0x${bits
    .reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
    .toString(16)
    .padStart(512, '0')}`
const OURS = filter(149, 481, 1060, 1283, 1443, 2010)
const OTHER = filter(5, 6, 7)

const nodes: TestNode[] = []
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})

const logAt = (height: number) => ({
  address: USDC.asset,
  blockHash: hashAt(height),
  transactionHash: word(`7${height}`),
  logIndex: '0x0',
  topics: [TRANSFER_TOPIC, word(WALLET.slice(2)), word(WALLET.slice(2))],
  data: word('6'),
})

/** A real network of blocks of 200 ms, 10 to 14, whose node answers a question for the logs of several so; and how many questions for logs and blocks it was asked. */
async function networkOf(
  range: Reply,
  blooms: Readonly<Record<number, string>> = {},
  {
    change = {},
    other,
  }: {
    readonly change?: Readonly<Record<string, unknown>>
    /** Of another one, whose filters leave logs out. */
    readonly other?: { readonly chainId: bigint; readonly network: NetworkId }
  } = {},
) {
  const asked: string[] = []
  const blockAt = (height: number, isWhole: boolean) => {
    const transaction = { hash: word(`7${height}`), from: WALLET, to: WALLET, value: '0x0' }
    return {
      number: `0x${height.toString(16)}`,
      hash: hashAt(height),
      parentHash: hashAt(height - 1),
      timestamp: '0x1',
      gasUsed: '0x5208',
      logsBloom: blooms[height] ?? OURS,
      transactionsRoot: word('7e'),
      transactions: [isWhole ? { ...transaction, ...change } : transaction.hash],
    }
  }
  const reply = (method: string, [first, second]: readonly unknown[]): Reply => {
    if (method === 'eth_getBlockByNumber') {
      const height = first === 'latest' ? 14 : Number(first)
      asked.push('block by height')
      return { result: height > 14 ? null : blockAt(height, second === true) }
    }
    if (method === 'eth_getBlockByHash') {
      asked.push('block by hash')
      const isWhole = second === true
      const found = [10, 11, 12, 13, 14].find((height) => hashAt(height) === first)
      return {
        result:
          found === undefined
            ? null
            : {
                ...blockAt(found, false),
                ...(isWhole
                  ? {
                      transactions: [
                        { hash: word(`7${found}`), from: WALLET, to: WALLET, value: '0x0' },
                      ],
                    }
                  : {}),
              },
      }
    }
    if (method !== 'eth_getLogs') return { result: null }
    const asks = JSON.stringify(first)
    asked.push(asks.includes('blockHash') ? 'logs by hash' : 'logs of several')
    if (!asks.includes('blockHash')) return range
    const at = [10, 11, 12, 13, 14].find((height) => asks.includes(hashAt(height))) ?? 0
    const isShown = other !== undefined || (blooms[at] ?? OURS) === OURS
    return { result: isShown ? [logAt(at)] : [] }
  }
  const node = await startTestNode({ reply, ...(other && { chainId: other.chainId }) })
  nodes.push(node)
  const chain = connectEvm({
    config: {
      ...testNetwork([]),
      ...(other && { network: other.network }),
      sandbox: false,
      rpcUrls: [new Secret(node.url)],
      finality: { kind: 'depth', blocks: 2 },
      blockTimeMilliseconds: 200,
    },
    log: openLog('silent'),
    clock: systemClock,
  })
  const blocks = await chain.blocks(10n, 5)
  const ours = async (addresses: readonly Address[]) =>
    new Set(addresses.filter((each) => each === WALLET))
  const arrivals = await chain.arrivals(blocks, ours)
  const count = (what: string) => asked.filter((each) => each === what).length
  return { heights: arrivals?.map(({ height }) => Number(height)), count }
}

test('what came in five quick blocks is read with the blocks and one question for their logs', async () => {
  const { heights, count } = await networkOf({ result: [10, 11, 12, 13, 14].map(logAt) })
  expect(heights).toEqual([10, 11, 12, 13, 14])
  const kinds = ['block by height', 'block by hash', 'logs of several', 'logs by hash']
  expect(kinds.map(count)).toEqual([5, 0, 1, 0])
})

test('a node that shows fewer logs of several blocks than there are is caught by their filters', async () => {
  // It is behind: of 13 and 14 it has nothing.
  const behind = await networkOf({ result: [10, 12].map(logAt) })
  expect(behind.heights).toEqual([10, 11, 12, 13, 14])
  // Of 11 it should have some by its filter, and all logs of the block were asked for as for any block that shows none.
  expect(behind.count('logs by hash')).toBe(3)
})

test('nothing shown of several blocks is believed only where their filters exclude it', async () => {
  const none = await networkOf({ result: [] }, { 11: OTHER, 12: OTHER, 13: filter() })
  expect(none.heights).toEqual([10, 14])
  expect(none.count('logs by hash')).toBe(3)
})

test('of a chain whose filters may leave logs out no filter says that nothing came in', async () => {
  const network = parseNetworkId('eip155:1329')
  if (network === undefined) throw new Error('no id of a network')
  const filters = { 11: OTHER, 13: OTHER }
  const other = { chainId: 1_329n, network }
  const { heights, count } = await networkOf({ result: [logAt(12)] }, filters, { other })
  expect(heights).toEqual([10, 12, 13, 14])
  expect(count('logs by hash')).toBe(3)
})

test.each<[string, Reply]>([
  ['refuses it', { error: { code: -32_000, message: 'block range is too wide' } }],
  ['answers nonsense', { result: 'logs' }],
  ['is of another branch', { result: [{ ...logAt(12), blockHash: word('c12') }, logAt(13)] }],
])('where a node %s each block is asked for its logs by itself', async (_, range) => {
  const { heights, count } = await networkOf(range)
  expect(heights).toEqual([10, 11, 12, 13, 14])
  expect(count('logs by hash')).toBe(5)
})

test('a block whose transactions were shown in a way that nobody can read is asked for again by its hash', async () => {
  const range = { result: [10, 11, 12, 13, 14].map(logAt) }
  const { heights, count } = await networkOf(range, {}, { change: { value: 'much' } })
  expect(heights).toEqual([10, 11, 12, 13, 14])
  expect(count('block by hash')).toBe(5)
})
