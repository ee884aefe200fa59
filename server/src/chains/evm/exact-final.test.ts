import { baseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { encodeFunctionData, encodeFunctionResult, parseAbi, parseSignature } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type { Read } from '../json-rpc/transport.ts'
import { addressFromBytes } from './account.ts'
import { transactionHashFrom } from './answer.ts'
import { AUTHORIZATION_CANCELED_TOPIC, AUTHORIZATION_USED_TOPIC } from './eip3009.ts'
import { addressWord, uintWord } from './eip712.ts'
import { findUse } from './exact-final.ts'
import { hexBytes } from './hex.ts'
import { openLogLooks } from './log-ranges.ts'
import { TRANSFER_TOPIC } from './token-transfers.ts'
import { MULTICALL } from './multicall.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain, TestWallet } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'
import type { TestPayer } from './test-payer.ts'

const SELLER = addressFromBytes(new Uint8Array(20).fill(0x52))
const THIEF = addressFromBytes(new Uint8Array(20).fill(0x66))
const COLLECTOR = addressFromBytes(new Uint8Array(20).fill(0xfe))
const PRICE = baseUnits(10_000n)
const ABI = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
  'function aggregate3((address target, bool allowFailure, bytes callData)[])',
])
const RESULTS = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[]) returns ((bool success, bytes returnData)[])',
])

describe('what somebody else did with an authorization', () => {
  let world: TestChain
  let exact: ExactPayments
  let stranger: TestWallet
  let payer: TestPayer
  beforeAll(async () => {
    world = await startTestChain()
    if (world.chain.exact === undefined) throw new Error('no exact')
    exact = world.chain.exact
    stranger = await world.wallet(['native', '1'])
    payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
  })
  afterAll(async () => {
    await world.sandbox.stop()
  })

  const nonceOf = (payload: Fields): `0x${string}` => {
    const { nonce } = Object(payload['authorization'])
    return nonce
  }
  const readOf = (payload: Fields): ExactAuthorization => {
    const extra = { name: 'USDC', version: '2' }
    const demand = {
      asset: USDC,
      payTo: SELLER,
      amount: PRICE,
      extra,
      settlers: new Set<Address>(),
    }
    const read = exact.read(payload, demand)
    if (!read.ok) throw new Error(read.reason)
    return read.authorization
  }
  const callOf = (payload: Fields): `0x${string}` => {
    const { from, to, value, validAfter, validBefore, nonce } = Object(payload['authorization'])
    const signature = payload['signature'] as `0x${string}`
    const args = [
      from,
      to,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      signature,
    ] as const
    return encodeFunctionData({ abi: ABI, functionName: 'transferWithAuthorization', args })
  }
  /** One transaction of a stranger that makes all of these calls of the token. */
  const together = async (...calls: readonly `0x${string}`[]): Promise<void> => {
    const target = USDC.asset as `0x${string}`
    const args = [calls.map((callData) => ({ target, allowFailure: false, callData }))] as const
    const data = encodeFunctionData({ abi: ABI, functionName: 'aggregate3', args })
    await world.rpc('anvil_impersonateAccount', stranger.address)
    const sent = { from: stranger.address, to: MULTICALL, data }
    const hash = await world.rpc('eth_sendTransaction', sent)
    await until(
      'the stranger’s transaction is mined',
      async () => Object(await world.rpc('eth_getTransactionReceipt', hash)).status === '0x1',
      { seconds: 30 },
    )
  }

  test('one transfer pays one of two claims, though both authorizations were used around it', async () => {
    const order = { asset: USDC, to: SELLER, amount: PRICE }
    const shown = await payer.authorize(order)
    const other = await payer.authorize(order)
    // The same nonce once more, for the payer's own pocket.
    const diverted = await payer.authorize({ ...order, to: THIEF, nonce: nonceOf(shown) })
    await together(callOf(diverted), callOf(other))
    expect(await exact.findForeign(readOf(other), 0n)).toMatchObject({ kind: 'paid' })
    expect(await exact.findForeign(readOf(shown), 0n)).toMatchObject({ kind: 'wasted' })
  })

  test('two authorizations in one transaction are paid by a transfer each', async () => {
    const order = { asset: USDC, to: SELLER, amount: PRICE }
    const [one, two] = [await payer.authorize(order), await payer.authorize(order)]
    await together(callOf(one), callOf(two))
    const uses = [
      await exact.findForeign(readOf(one), 0n),
      await exact.findForeign(readOf(two), 0n),
    ]
    const indexes = uses.map((use) => (use?.kind === 'paid' ? use.settlement.logIndex : -1))
    expect(indexes[0]).toBeGreaterThanOrEqual(0)
    expect(indexes[1]).toBeGreaterThan(indexes[0] ?? 0)
  })

  test('a cancelled authorization is wasted', async () => {
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const { r, s, v = 27n } = parseSignature(await payer.cancel(USDC, nonceOf(payload)))
    const from = payer.address as string as `0x${string}`
    const args = [from, nonceOf(payload), Number(v), r, s] as const
    await together(encodeFunctionData({ abi: ABI, functionName: 'cancelAuthorization', args }))
    expect(await exact.findForeign(readOf(payload), 0n)).toMatchObject({ kind: 'wasted' })
  })

  test('an authorization that nobody used is behind, for whoever was shown that it is used', async () => {
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    expect(await exact.findForeign(readOf(payload), 0n)).toEqual({ kind: 'behind' })
  })

  test('whether one was used by a block is asked of a node that has that very block', async () => {
    const settled = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const authorization = readOf(settled)
    await together(callOf(settled))
    const use = await exact.findForeign(authorization, 0n)
    if (use?.kind !== 'paid') throw new Error('it was not found')
    const { height, blockHash: hash } = use.settlement
    const replaced = { height, hash: `0x${'5e'.repeat(32)}` }
    expect(await exact.usedBy?.(authorization, { height, hash })).toBe('used')
    const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
    const other = readOf(payload)
    expect(await exact.usedBy?.(other, { height, hash })).toBe('unused')
    expect(await exact.usedBy?.(other, replaced)).toBe('behind')
    expect(await exact.usedBy?.(other, { height: height + 1_000n, hash })).toBe('behind')
    // Blocks later the newest one names the hash of that one.
    await together(callOf(await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })))
    expect(await exact.usedBy?.(other, { height, hash })).toBe('unused')
    expect(await exact.usedBy?.(other, replaced)).toBe('behind')
  })
})

describe('what one node shows of a used authorization', () => {
  const word = (digit: string) => `0x${digit.repeat(64)}`
  const topicOf = (address: Address) => hexBytes(addressWord(address))
  const authorization = {
    token: USDC.asset as Address,
    from: THIEF,
    to: SELLER,
    value: 10_000n,
    validAfterSeconds: 0n,
    validBeforeSeconds: 2n ** 40n,
    nonce: new Uint8Array(32).fill(0x77),
    signature: new Uint8Array(65),
  }
  const hash = transactionHashFrom(word('a'), 'hash')
  const used = {
    address: USDC.asset.toLowerCase(),
    topics: [AUTHORIZATION_USED_TOPIC, topicOf(THIEF), word('7')],
    data: '0x',
    logIndex: '0x4',
    transactionHash: hash,
  }
  const moved = {
    ...used,
    topics: [TRANSFER_TOPIC, topicOf(THIEF), topicOf(SELLER)],
    data: `0x${(10_000).toString(16).padStart(64, '0')}`,
    logIndex: '0x5',
  }
  /** The logs that its block shows hold the use; its receipt shows these. */
  const useOf = (
    logs: readonly object[],
    { isOurs = false, shown = [used] as object[], isUsed = true } = {},
  ) => {
    const receipt = {
      transactionHash: hash,
      blockNumber: '0x10',
      blockHash: word('b'),
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      logs,
    }
    const answers: Readonly<Record<string, unknown>> = {
      eth_blockNumber: '0x10',
      eth_getLogs: shown,
      eth_call: oneWord(isUsed ? 1n : 0n),
      eth_getTransactionReceipt: receipt,
      eth_getBlockByNumber: {
        number: '0x10',
        hash: word('b'),
        parentHash: word('c'),
        timestamp: '0x6a000000',
        transactions: [],
      },
    }
    const read = async <Value>({ method, parse }: Read<Value>) => parse(answers[method])
    const unasked = () => {
      throw new Error('nothing is told')
    }
    return findUse(
      {
        transport: { read, readLast: unasked, tellAll: unasked, tellEach: unasked },
        looks: openLogLooks(),
      },
      authorization,
      0n,
      isOurs,
    )
  }
  const oneWord = (value: bigint) =>
    encodeFunctionResult({
      abi: RESULTS,
      functionName: 'aggregate3',
      result: [{ success: true, returnData: hexBytes(uintWord(value)) as `0x${string}` }],
    })

  test('is not known where its blocks show none, and behind where it is unused at their end', async () => {
    expect(await useOf([], { shown: [] })).toBeUndefined()
    expect(await useOf([], { shown: [], isUsed: false })).toEqual({ kind: 'behind' })
  })

  test('of a wallet of ours is paid by the one transfer that can have been it, in whatever order they stand', async () => {
    const before = { ...moved, logIndex: '0x3' }
    const isOurs = true
    const settlement = { logIndex: 3 }
    expect(await useOf([before, used])).toMatchObject({ kind: 'wasted' })
    expect(await useOf([before, used], { isOurs })).toMatchObject({ kind: 'paid', settlement })
    // One of two, or none at all: with what was signed once, nothing else can have been done.
    const earlier = { ...moved, logIndex: '0x2' }
    expect(await useOf([earlier, before, used], { isOurs })).toBeUndefined()
    expect(await useOf([used], { isOurs })).toBeUndefined()
    const cancelled = { ...used, topics: [AUTHORIZATION_CANCELED_TOPIC, ...used.topics.slice(1)] }
    const taken = await useOf([before, cancelled], { isOurs, shown: [cancelled] })
    expect(taken).toMatchObject({ kind: 'wasted' })
  })

  test('of a wallet of ours is paid by what the token left of it, since all of it has left the wallet', async () => {
    const given = (units: number, logIndex: string) => ({
      ...{ ...moved, logIndex, data: `0x${units.toString(16).padStart(64, '0')}` },
    })
    const collected = {
      ...given(500, '0x6'),
      topics: [...moved.topics.slice(0, 2), topicOf(COLLECTOR)],
    }
    const logs = [used, given(9_500, '0x5'), collected]
    const less = { kind: 'paid', settlement: { logIndex: 5, isLess: true } }
    expect(await useOf(logs, { isOurs: true })).toMatchObject(less)
    expect(await useOf(logs)).toMatchObject({ kind: 'wasted' })
    // One of two is told by where it stands, and nothing at all is none.
    expect(await useOf([given(1, '0x3'), ...logs], { isOurs: true })).toMatchObject(less)
    const apart = [given(1, '0x2'), given(9_500, '0x3'), used]
    expect(await useOf(apart, { isOurs: true })).toBeUndefined()
    expect(await useOf([used, given(0, '0x5')], { isOurs: true })).toBeUndefined()
    const whole = await useOf([used, moved], { isOurs: true })
    expect(whole).not.toHaveProperty('settlement.isLess')
  })

  test('is paid by the transfer right behind it, and wasted where there is none', async () => {
    expect(await useOf([used, moved])).toMatchObject({ kind: 'paid', settlement: { logIndex: 5 } })
    expect(await useOf([used])).toMatchObject({ kind: 'wasted' })
  })

  test('is behind while its receipt does not show it: another node has shown its log', async () => {
    expect(await useOf([])).toEqual({ kind: 'behind' })
    expect(await useOf([moved])).toEqual({ kind: 'behind' })
  })
})
