import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectEvm } from '@florin/server/chains/evm/connect.ts'
import { nextBlocks } from '@florin/server/chains/next-blocks.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { MarketConfig, NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { Secret } from '@florin/server/kernel/secret.ts'
import { until } from '@florin/server/kernel/until.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { followerStandings } from './halt-store.ts'
import { drive } from './test-driver.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const BLOCK_MILLISECONDS = 200
const FIRST = 1_000_000
/** Some minutes behind the head, and a minute further once in a minute. */
const FINAL_BELOW = 1_500
const FINAL_STEP = 300
/** Who renews the lease sleeps so long; whoever pauses between two rounds never does. */
const LEASE_PAUSE_MILLISECONDS = 2_000 / 3
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (text: string) => `0x${text.padStart(64, '0')}`
const hex = (value: number) => `0x${value.toString(16)}`
/** The filter of a block that holds transfers of USDC and no other log. */
const BLOOM = `0x${[149, 481, 1060, 1283, 1443, 2010]
  .reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
  .toString(16)
  .padStart(512, '0')}`

const MARKETS: readonly MarketConfig[] = [
  {
    venue: 'uniswap-v2',
    factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
    router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    wrappedNative: '0x4200000000000000000000000000000000000006',
  },
]

function networkOf(): NetworkConfig {
  return {
    ...testNetwork(84_532),
    sandbox: false,
    rpcUrls: [new Secret('http://node.example')],
    finality: { kind: 'tag' },
    blockTimeMilliseconds: BLOCK_MILLISECONDS,
    markets: MARKETS,
  }
}

const hashAt = (height: number) => word(`b${height.toString(16)}`)
const transactionOf = (height: number, index: number) => ({
  hash: word(`${height.toString(16)}0${index}`),
  type: '0x2',
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  value: '0x1',
  gas: '0x5208',
  nonce: '0x1',
  input: '0x',
})

function blockAt(height: number, isWhole: boolean) {
  const transactions = [0, 1, 2].map((index) => transactionOf(height, index))
  return {
    number: hex(height),
    hash: hashAt(height),
    parentHash: hashAt(height - 1),
    timestamp: hex(Math.floor((height * BLOCK_MILLISECONDS) / 1000)),
    transactionsRoot: word('7e'),
    logsBloom: BLOOM,
    gasUsed: '0x5208',
    baseFeePerGas: '0x1',
    transactions: isWhole ? transactions : transactions.map(({ hash }) => hash),
  }
}

function logAt(height: number) {
  return {
    address: USDC,
    topics: [TRANSFER, word('11'.repeat(20)), word('22'.repeat(20))],
    data: word('1'),
    blockHash: hashAt(height),
    blockNumber: hex(height),
    transactionHash: transactionOf(height, 0).hash,
    logIndex: '0x0',
  }
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node of a chain that is as high as the test's time says, and what it was asked. */
function nodeAt(height: () => number) {
  const asked: Call[] = []
  const final = () => Math.floor((height() - FINAL_BELOW) / FINAL_STEP) * FINAL_STEP
  function heightOf(name: unknown): number {
    if (name === 'latest') return height()
    return name === 'finalized' ? final() : Number(name)
  }
  function logsOf(filter: Record<string, unknown>): readonly unknown[] {
    if (!('address' in filter)) return []
    const { blockHash, fromBlock, toBlock } = filter
    if (typeof blockHash === 'string')
      return [logAt(Number(`0x${blockHash.slice(2).replace(/^0*b/, '')}`))]
    const [from, to] = [heightOf(fromBlock), heightOf(toBlock)]
    return Array.from({ length: to - from + 1 }, (_, index) => logAt(from + index))
  }
  function answer({ method, params: [first, second] }: Call): unknown {
    switch (method) {
      case 'eth_chainId':
        return hex(84_532)
      case 'eth_getBlockByNumber': {
        const at = heightOf(first)
        return at > height() ? null : blockAt(at, second === true)
      }
      case 'eth_getBlockByHash':
        return blockAt(Number(`0x${String(first).slice(2).replace(/^0*b/, '')}`), second === true)
      case 'eth_getLogs':
        return logsOf(first as Record<string, unknown>)
      default:
        return null
    }
  }
  return {
    asked,
    final,
    post: ({ body }: { readonly body: string }) => {
      const calls = JSON.parse(body) as Call | readonly Call[]
      const list = 'method' in calls ? [calls] : calls
      asked.push(...list)
      const answers = list.map((call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) }))
      const text = JSON.stringify('method' in calls ? answers[0] : answers)
      return { answer: Promise.resolve({ status: 200, text }), abandon: () => undefined }
    },
  }
}

test('following a chain of 200 ms with its markets costs at most eight node calls a second, each block read once', async () => {
  const beganAt = Date.now()
  let passed = 0
  const height = () => FIRST + Math.floor(passed / BLOCK_MILLISECONDS)
  const node = nodeAt(height)
  const clock: Clock = {
    nowMilliseconds: () => beganAt + passed,
    sleep: async (milliseconds, signal) => {
      if (Math.abs(milliseconds - LEASE_PAUSE_MILLISECONDS) < 1)
        return systemClock.sleep(milliseconds, signal)
      passed += milliseconds
      await systemClock.sleep(0, signal)
    },
  }
  const config = networkOf()
  const chain = connectEvm({ config, log: openLog('silent'), clock: systemClock, post: node.post })
  let read: { readonly height: bigint; readonly blockHash: string } | undefined
  /** As the follower of markets does, whenever it is told of a head. */
  let reading = Promise.resolve()
  const driver = drive(database.store, async () => {}, undefined, {
    ...{ clock, config, chain },
    others: {
      noteRead: (head) => {
        reading = reading.then(async () => {
          if (read === undefined || read.blockHash === head.hash) return
          const blocks = (await nextBlocks(chain, read, head, 50)) ?? []
          await chain.market?.read(blocks)
          const last = blocks.at(-1)
          if (last !== undefined) read = { height: last.height, blockHash: last.hash }
        })
      },
    },
  })
  try {
    const isCaughtUp = () => Number(driver.state().height ?? 0) >= height() - 10
    await until('it has caught up', isCaughtUp, { seconds: 60 })
    read = { height: BigInt(height()), blockHash: hashAt(height()) }
    await reading
    const [before, from] = [passed, height()]
    node.asked.length = 0
    await until('a minute has passed', () => passed > before + 60_000, { seconds: 60 })
    const seconds = (passed - before) / 1000
    expect(node.asked.length / seconds).toBeLessThanOrEqual(8)
    const blocks = node.asked.filter(({ method }) => method.startsWith('eth_getBlockBy'))
    const whole = blocks.filter(({ params: [, isWhole] }) => isWhole === true)
    const finals = blocks.filter(({ params: [name] }) => name === 'finalized')
    expect(blocks.length).toBe(whole.length + finals.length)
    // One that came in the round in which the minute ended is not in both counts.
    expect(Math.abs(whole.length - (height() - from))).toBeLessThanOrEqual(8)
    expect(finals.length).toBeLessThanOrEqual(seconds / 5 + 1)
    const behind = height() - Number(driver.state().height)
    expect(behind).toBeLessThanOrEqual(8)
    await reading
    expect(height() - Number(read.height)).toBeLessThanOrEqual(12)
    // What is final was asked for at all, and closed.
    const final = node.final()
    const isClosed = async () => {
      const standings = await database.store.inTransaction('service', followerStandings)
      return Number(standings.get(config.network)?.finalizedHeight ?? 0) >= final
    }
    await until('what became final in that minute is closed', isClosed, { seconds: 20 })
  } finally {
    await driver.stop()
  }
})
