import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem'
import { expect, test } from 'vitest'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { requireAddress } from './account.ts'
import { AUTHORIZATION_USED_TOPIC } from './eip3009.ts'
import { addressWord, uintWord } from './eip712.ts'
import { findUse } from './exact-final.ts'
import { hexBytes } from './hex.ts'
import { openLogLooks } from './log-ranges.ts'
import { MULTICALL } from './multicall.ts'
import { account, word } from './test-permit2-chain.ts'
import { USDC } from './test-network.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'

const [PAYER, SELLER] = [account(1), account(2)]
const NONCE = new Uint8Array(32).fill(0x77)
const [HASH, BLOCK] = [word(0xaa), word(0xbb)]
const AUTHORIZATION = {
  ...{ token: requireAddress(USDC.asset), from: PAYER, to: SELLER, value: 10_000n },
  ...{ validAfterSeconds: 0n, validBeforeSeconds: 2n ** 40n, nonce: NONCE },
  signature: new Uint8Array(65),
}
/** Blocks of 200 ms: a day of them, of which the last three hours were read by nobody. */
const SINCE = 40_000_000n
const HEAD = SINCE + 432_000n

/** A node of a chain that used the authorization at a height, and keeps the state from another one on; or gives the newest one whatever height is asked for. */
function nodeOf(
  usedAt: bigint,
  { stateFrom = 0n, logBlocksMax = 2_000n, isWhole = true, knowsNewest = false } = {},
) {
  const at = { blockNumber: `0x${usedAt.toString(16)}`, blockHash: BLOCK }
  const topics = [PAYER, SELLER].map((address) => hexBytes(addressWord(address)))
  const log = { address: USDC.asset.toLowerCase(), transactionHash: HASH, ...at }
  const used = { ...log, topics: [AUTHORIZATION_USED_TOPIC, topics[0], hexBytes(NONCE)] }
  const logs = [
    { ...used, data: '0x', logIndex: '0x4' },
    {
      ...{ ...log, topics: [TRANSFER_TOPIC, ...topics], logIndex: '0x5' },
      data: hexBytes(uintWord(10_000n)),
    },
  ]
  const asked = { logs: 0, states: 0, head: HEAD }
  const answer = ({
    method,
    params: [first, second],
  }: Pick<Read<unknown>, 'method' | 'params'>) => {
    switch (method) {
      case 'eth_blockNumber':
        return `0x${asked.head.toString(16)}`
      case 'eth_getLogs': {
        asked.logs += 1
        const { fromBlock = '', toBlock = '' } = Object(first) as Record<string, string>
        const [from, to] = [BigInt(fromBlock), toBlock === 'latest' ? asked.head : BigInt(toBlock)]
        if (to - from >= logBlocksMax) throw new NodeFailure('up to a 10 block range')
        return isWhole && from <= usedAt && usedAt <= to ? logs.slice(0, 1) : []
      }
      case 'eth_call': {
        asked.states += 1
        const height = knowsNewest ? asked.head : BigInt(String(second))
        if (height < stateFrom) throw new NodeFailure('missing trie node')
        const { data } = Object(first) as { data: `0x${string}` }
        const abi = multicall3Abi
        const [calls = []] = decodeFunctionData({ abi, data }).args ?? []
        const result = (calls as readonly { readonly target: string }[]).map(({ target }) => {
          // Five blocks a second.
          const value = target === MULTICALL ? height / 5n : height >= usedAt ? 1n : 0n
          return { success: true, returnData: hexBytes(uintWord(value)) as `0x${string}` }
        })
        return encodeFunctionResult({ abi, functionName: 'aggregate3', result })
      }
      case 'eth_getTransactionReceipt':
        return {
          ...{ transactionHash: HASH, status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' },
          ...at,
          logs,
        }
      case 'eth_getBlockByNumber':
        return {
          ...{ number: first, hash: BLOCK, parentHash: word(0xcc), timestamp: '0x1' },
          transactions: [],
        }
      default:
        throw new Error(`${method} was not expected`)
    }
  }
  const unasked = () => {
    throw new Error('nothing is told')
  }
  const transport = {
    read: async <Value>({ method, params, parse }: Read<Value>) =>
      parse(answer({ method, params })),
    ...{ readLast: unasked, tellAll: unasked, tellEach: unasked },
  }
  const looks = openLogLooks()
  return { asked, look: () => findUse({ transport, looks }, AUTHORIZATION, SINCE) }
}

const MIDDLE = SINCE + 216_000n
const PAID = { kind: 'paid', settlement: { height: MIDDLE, logIndex: 5 } }

test('a use in the middle of a day of quick blocks is found by the state of the past, with a few questions', async () => {
  const { look, asked } = nodeOf(MIDDLE)
  expect(await look()).toMatchObject(PAID)
  expect(asked).toMatchObject({ logs: 2 })
  expect(asked.states).toBeLessThan(45)
})

test('where a node gives the logs of ten blocks at once, the block is found that used it', async () => {
  for (const usedAt of [MIDDLE, HEAD - 3n]) {
    const { look } = nodeOf(usedAt, { logBlocksMax: 10n })
    expect(await look()).toMatchObject({ kind: 'paid', settlement: { height: usedAt } })
  }
  // Without that state nobody knows which block it was, and that is no answer.
  const { look } = nodeOf(MIDDLE, { logBlocksMax: 10n, stateFrom: HEAD - 128n })
  await expect(look()).rejects.toThrow(NodeFailure)
})

test('where no node keeps the state of the past, later looks find it, each with as many questions for logs as before', async () => {
  const { look, asked } = nodeOf(MIDDLE, { stateFrom: HEAD - 128n })
  let use: Awaited<ReturnType<typeof look>>
  let looks = 0
  for (; use === undefined && looks < 30; looks += 1) {
    const before = asked.logs
    use = await look()
    expect(asked.logs - before).toBeLessThanOrEqual(limits.logReadsMax)
    // The chain goes on meanwhile.
    asked.head += 3_000n
  }
  expect(use).toMatchObject(PAID)
  expect(looks).toBeGreaterThan(1)
})

test('where no node keeps that state, and gives the logs of fewer blocks than are asked for, these are asked for by halves', async () => {
  // As Monad's nodes do, which also give no old state.
  for (const usedAt of [HEAD - 3n, HEAD - 1_999n, SINCE + 9n]) {
    const { look } = nodeOf(usedAt, { logBlocksMax: 1_000n, stateFrom: HEAD - 1n })
    expect(await look()).toMatchObject({ kind: 'paid', settlement: { height: usedAt } })
  }
})

test('a node that gives few blocks at once and no old state is asked a bounded number of questions', async () => {
  const { look, asked } = nodeOf(MIDDLE, { logBlocksMax: 60n, stateFrom: HEAD - 1n })
  await expect(look()).rejects.toThrow()
  expect(asked.logs).toBeLessThan(150)
})

test('one that was used before it is looked for costs a few questions, and is not found', async () => {
  const { look, asked } = nodeOf(SINCE - 9n)
  expect(await look()).toBeUndefined()
  expect(asked.logs).toBe(1)
  expect(asked.states).toBeLessThan(5)
})

test('a node that gives its newest state whatever height is asked for does not say that it was used before', async () => {
  const { look } = nodeOf(SINCE + 9n, { knowsNewest: true })
  expect(await look()).toMatchObject({ kind: 'paid', settlement: { height: SINCE + 9n } })
})

test('one that is not used yet in the newest block of a node is behind', async () => {
  expect(await nodeOf(HEAD + 9n).look()).toEqual({ kind: 'behind' })
})

test('a node that shows no log of it though it is used there says nothing', async () => {
  expect(await nodeOf(MIDDLE, { isWhole: false }).look()).toBeUndefined()
})
