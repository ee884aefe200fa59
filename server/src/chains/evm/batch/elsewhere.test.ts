import { decodeFunctionData, encodeFunctionResult, multicall3Abi, toEventSelector } from 'viem'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../../chain.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { testNetwork } from '../../../payments/test-lane.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { requireAddress } from '../account.ts'
import { AUTHORIZATION_USED_TOPIC } from '../eip3009.ts'
import { addressWord, uintWord } from '../eip712.ts'
import { hexBytes } from '../hex.ts'
import { openLogLooks } from '../log-ranges.ts'
import { openRecoveredSigners } from '../recovered-signers.ts'
import { account, word } from '../test-permit2-chain.ts'
import { USDC } from '../test-network.ts'
import { TRANSFER_TOPIC } from '../token-transfers.ts'
import type { BatchDeps } from './deps.ts'
import { depositElsewhere, refundElsewhere } from './elsewhere.ts'
import { ERC3009_COLLECTOR, ESCROW, openEscrowDigests } from './escrow.ts'

const HEIGHT = 5_000n
/** Receipts that are read to find by what an authorization was used. */
const SETTLEMENT_LOOKS = 2
/** The newest block of the node. */
const HEAD = HEIGHT + 10n
const AMOUNT = 10_000n
const CLAIMED = 40n
const [PAYER, NONCE, HASH] = [account(1), new Uint8Array(32).fill(0x77), word(0xaa)]
const TOKEN = requireAddress(USDC.asset)
const digests = openEscrowDigests(84_532n)
const channelOf = (salt: number) =>
  digests.channelOf({
    ...{ payer: PAYER, payerAuthorizer: PAYER, receiver: account(3), token: TOKEN },
    ...{ receiverAuthorizer: account(4), withdrawDelaySeconds: 900n, salt: word(salt) },
  })
const CHANNEL = channelOf(7)
const AUTHORIZATION = {
  ...{ token: TOKEN, from: PAYER, to: ERC3009_COLLECTOR, value: AMOUNT, nonce: NONCE },
  ...{ validAfterSeconds: 0n, validBeforeSeconds: 2n ** 40n, signature: new Uint8Array(65) },
}

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber?: string
  readonly transactionHash?: string
}

const used = (nonce: Uint8Array): Log => ({
  ...{ address: TOKEN, data: '0x' },
  topics: [AUTHORIZATION_USED_TOPIC, hexBytes(addressWord(PAYER)), hexBytes(nonce)],
})
const moved = (from: typeof PAYER, to: typeof PAYER): Log => ({
  ...{ address: TOKEN, data: hexBytes(uintWord(AMOUNT)) },
  topics: [TRANSFER_TOPIC, hexBytes(addressWord(from)), hexBytes(addressWord(to))],
})
const deposited = (channel = CHANNEL, address: string = ESCROW, amount = AMOUNT): Log => ({
  ...{ address, data: hexBytes(Buffer.concat([amount, 2n * AMOUNT].map(uintWord))) },
  topics: [
    toEventSelector('Deposited(bytes32,address,uint128,uint128)'),
    ...[hexBytes(channel.id), hexBytes(addressWord(account(9)))],
  ],
})
const refunded = (height: bigint): Log => ({
  ...{ address: ESCROW, data: hexBytes(uintWord(5n)), blockNumber: quantity(height) },
  ...{ topics: [], transactionHash: hexBytes(uintWord(height)) },
})
const TAKEN = [used(NONCE), moved(PAYER, ERC3009_COLLECTOR), moved(ERC3009_COLLECTOR, ESCROW)]
const quantity = (value: bigint) => `0x${value.toString(16)}`

/** A node of a chain with one transaction; `wordAt` is what each view says at a height, null for the newest. */
function depsOf(logs: readonly Log[], wordAt: (height: bigint | null) => bigint, shown = logs) {
  const at = { blockNumber: quantity(HEIGHT), blockHash: word(0xbb), transactionHash: HASH }
  const placed = (log: Log, index: number) => ({ ...at, logIndex: quantity(BigInt(index)), ...log })
  const answer = ({ method, params: [first, second] }: Read<unknown>): unknown => {
    switch (method) {
      case 'eth_blockNumber':
        return quantity(HEAD)
      case 'eth_getLogs':
        return shown.map(placed)
      case 'eth_call': {
        const { data } = Object(first) as { data: Hex }
        const abi = multicall3Abi
        const [calls = []] = decodeFunctionData({ abi, data }).args ?? []
        const height = second === 'latest' ? null : BigInt(String(second))
        const isChannel = (calls as readonly unknown[]).length > 2
        // Of a channel the second word is what was claimed.
        const words = [uintWord(wordAt(height)), ...(isChannel ? [uintWord(CLAIMED)] : [])]
        const returnData = hexBytes(Buffer.concat(words)) as Hex
        const result = (calls as readonly unknown[]).map(() => ({ success: true, returnData }))
        return encodeFunctionResult({ abi, functionName: 'aggregate3', result })
      }
      case 'eth_getTransactionReceipt':
        return {
          ...{ ...at, status: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1' },
          logs: logs.map(placed),
        }
      case 'eth_getBlockByNumber':
        return {
          ...{ number: first, hash: word(0xbb), parentHash: word(0xcc), timestamp: '0x1' },
          transactions: [],
        }
      default:
        throw new Error(`${method} was not expected`)
    }
  }
  const unasked = () => {
    throw new Error('nothing is told')
  }
  const deps: BatchDeps = {
    transport: {
      read: async <Value>(read: Read<Value>) => read.parse(answer(read)),
      ...{ readLast: unasked, tellAll: unasked, tellEach: unasked },
    },
    ...{ config: testNetwork(84_532), chainId: 84_532n, clock: systemClock, digests },
    ...{
      recovered: openRecoveredSigners(),
      contracts: { lackOf: async () => undefined },
      looks: openLogLooks(),
    },
    code: { hasCode: async () => false, hasCodeNow: async () => false },
    draft: async () => undefined,
  }
  return deps
}

describe('a deposit', () => {
  const elsewhere = (logs: readonly Log[], isUsed = true, shown = logs.slice(0, 1)) =>
    depositElsewhere(
      depsOf(logs, () => (isUsed ? 1n : 0n), shown),
      CHANNEL,
      AUTHORIZATION,
      HEIGHT,
    )

  test('that stands by another transaction is told by its authorization, whatever else is logged there', async () => {
    const made = { kind: 'made', hash: HASH, height: HEIGHT }
    expect(await elsewhere([...TAKEN, deposited()])).toEqual(made)
    const lies = [deposited(channelOf(8), account(8)), deposited(CHANNEL, account(8), 1n)]
    expect(await elsewhere([...TAKEN, ...lies, deposited()])).toEqual(made)
  })

  test.each<readonly [string, readonly Log[]]>([
    [
      // Another deposit of the same amount would be told as two.
      'behind which another authorization is used before anything is deposited',
      [...TAKEN.slice(0, 2), used(new Uint8Array(32)), ...TAKEN.slice(1), deposited()],
    ],
    ['of another channel', [...TAKEN, deposited(channelOf(8))]],
    ['of another amount', [...TAKEN, deposited(CHANNEL, ESCROW, AMOUNT - 1n)]],
    ['of which another contract tells', [...TAKEN, deposited(CHANNEL, account(8))]],
    ['whose money went to somebody else', [used(NONCE), moved(PAYER, account(8)), deposited()]],
  ])('%s stands nowhere', async (_, logs) => {
    expect(await elsewhere(logs)).toEqual({ kind: 'nowhere' })
  })

  test('is not known where a node gives the receipt without the log that another has shown', async () => {
    const whole = depsOf([...TAKEN, deposited()], () => 1n, [used(NONCE)])
    const bare = depsOf([], () => 1n)
    let receipts = 0
    const read = async <Value>(asked: Read<Value>): Promise<Value> => {
      if (asked.method === 'eth_getTransactionReceipt') receipts += 1
      return (receipts > SETTLEMENT_LOOKS ? bare : whole).transport.read(asked)
    }
    const deps = { ...whole, transport: { ...whole.transport, read } }
    await expect(depositElsewhere(deps, CHANNEL, AUTHORIZATION, HEIGHT)).rejects.toThrow(
      NodeFailure,
    )
    expect(receipts).toBe(SETTLEMENT_LOOKS + 1)
  })

  test('whose authorization is not used stands nowhere, and one of which no log shows by what is not known', async () => {
    expect(await elsewhere([], false)).toEqual({ kind: 'nowhere' })
    expect(await elsewhere([...TAKEN, deposited()], true, [])).toEqual({ kind: 'unknown' })
  })
})

test('a deposit that a node behind ours does not show is not known', async () => {
  const behind = depsOf([], () => 0n)
  const at = (height: bigint) => depositElsewhere(behind, CHANNEL, AUTHORIZATION, height)
  expect(await at(HEAD)).toEqual({ kind: 'nowhere' })
  expect(await at(HEAD + 1n)).toEqual({ kind: 'unknown' })
})

describe('a refund', () => {
  /** Its nonce goes up at these heights. */
  const RISES = [100n, 200n, 250n, 300n, 300n]
  const nonceAt = (height: bigint | null) =>
    BigInt(RISES.filter((rise) => height === null || rise <= height).length)
  const elsewhere = (nonce: bigint, claimed = CLAIMED) =>
    refundElsewhere(
      // The third moved nothing, and the last two are of one block.
      depsOf([100n, 200n, 300n, 300n].map(refunded), nonceAt),
      CHANNEL,
      { nonce, claimed },
      HEIGHT,
    )

  test('that another transaction made is told by the block in which its nonce was used', async () => {
    expect(await elsewhere(0n)).toMatchObject({ kind: 'made', height: 100n })
    expect(await elsewhere(1n)).toMatchObject({ kind: 'made', height: 200n })
  })

  test('that moved nothing, or shares its block with another, is not known', async () => {
    for (const nonce of [2n, 3n, 4n]) expect(await elsewhere(nonce)).toEqual({ kind: 'unknown' })
  })

  test('that a node behind ours does not show is not known', async () => {
    const behind = depsOf([], () => 0n)
    const refund = { nonce: 0n, claimed: CLAIMED }
    expect(await refundElsewhere(behind, CHANNEL, refund, HEAD)).toEqual({ kind: 'nowhere' })
    expect(await refundElsewhere(behind, CHANNEL, refund, HEAD + 1n)).toEqual({ kind: 'unknown' })
  })

  test('whose nonce is not used, or whose claim was left out, was made nowhere', async () => {
    expect(await elsewhere(5n)).toEqual({ kind: 'nowhere' })
    expect(await elsewhere(0n, CLAIMED + 1n)).toEqual({ kind: 'nowhere' })
  })
})
