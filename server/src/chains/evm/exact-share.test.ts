import { baseUnits } from '@florin/wire/amount.ts'
import { decodeFunctionData, multicall3Abi } from 'viem'
import { expect, test } from 'vitest'
import { testNetwork } from '../../payments/test-lane.ts'
import type { Address } from '../chain.ts'
import type { WaitingSettlement } from '../exact.ts'
import { proofKey } from '../exact.ts'
import { shareSettlements } from './exact-share.ts'
import { hexBytes } from './hex.ts'
import { readTerms, writeTerms } from './terms.ts'

const CHAIN_ID = 84_532n
const config = testNetwork(84_532)
const SETTLER = '0x00000000000000000000000000000000000000A1' as Address
const SELLER = '0x00000000000000000000000000000000000000A2' as Address
const [USDC, OTHER] = [
  '0x00000000000000000000000000000000000000B1',
  '0x00000000000000000000000000000000000000b2',
] as const

interface Said {
  readonly payer?: number
  readonly token?: string
  readonly gas?: bigint
  readonly isAlone?: boolean
  readonly hasCode?: boolean
  readonly maxFeePerGas?: bigint
  readonly balance?: bigint
  readonly data?: Uint8Array
}

function waiting({
  payer = 1,
  token = USDC,
  gas = 100_000n,
  isAlone = false,
  hasCode = false,
  maxFeePerGas = 7n,
  balance = 10n ** 18n,
  data = Uint8Array.of(1, 2, 3),
}: Said): WaitingSettlement {
  const asset = { symbol: 'T', asset: token, decimals: 6, takesCommitment: false }
  return {
    isAlone,
    authorization: {
      proofKey: proofKey(`${payer}`),
      payer: `payer ${payer}` as Address,
      asset,
      payTo: SELLER,
      amount: baseUnits(1n),
      validBeforeSeconds: 1n,
      feePayer: null,
      stored: {},
    },
    draft: {
      terms: writeTerms({
        chainId: CHAIN_ID,
        sender: SETTLER,
        call: { to: token as Address, value: 0n, data },
        gas,
        fees: { maxFeePerGas, maxPriorityFeePerGas: 2n },
        dataFeeMax: baseUnits(5n),
      }),
      feeCeiling: baseUnits(gas * maxFeePerGas),
      feeExpected: baseUnits(gas),
      laneLatest: BigInt(payer),
      settlerBalance: balance,
      ...(hasCode ? { isAlone: true } : {}),
    },
  }
}

const share = (all: readonly Said[]) =>
  shareSettlements({ config, chainId: CHAIN_ID }, all.map(waiting))
const indexesOf = (all: readonly Said[]) => share(all).map(({ indexes }) => indexes)

test('a lone settlement keeps its own draft', () => {
  const [part] = share([{}])
  expect(part?.draft).toEqual(waiting({}).draft)
})

test('a payer has one settlement of a token in a transaction, so that no event and no balance is taken for the other', () => {
  const all = [{ payer: 1 }, { payer: 2 }, { payer: 1 }, { payer: 1, token: OTHER }, { payer: 2 }]
  expect(indexesOf(all)).toEqual([
    [0, 1, 3],
    [2, 4],
  ])
})

test('who wants a transaction of its own shares with nobody', () => {
  const all = [{ payer: 1 }, { payer: 2, isAlone: true }, { payer: 3 }]
  expect(indexesOf(all)).toEqual([[0, 2], [1]])
})

test('a payer with code shares with nobody, since its code could take what the others need', () => {
  const all = [{ payer: 1 }, { payer: 2, hasCode: true }, { payer: 3 }]
  expect(indexesOf(all)).toEqual([[0, 2], [1]])
})

test('a transaction holds no more gas than the limit, and no more settlements', () => {
  const heavy = Array.from({ length: 6 }, (_, payer) => ({ payer, gas: 700_000n }))
  expect(indexesOf(heavy)).toEqual([
    [0, 1],
    [2, 3],
    [4, 5],
  ])
  const many = Array.from({ length: 70 }, (_, payer) => ({ payer, gas: 21_000n }))
  expect(indexesOf(many).map(({ length }) => length)).toEqual([64, 6])
})

test('it calls each token with the very bytes of each, which may fail alone, with gas and fees for all', () => {
  const all = [
    { payer: 1, data: Uint8Array.of(9, 8, 7, 6), gas: 60_000n, maxFeePerGas: 7n },
    { payer: 2, token: OTHER, data: new Uint8Array(100).fill(5), gas: 90_000n, balance: 77n },
    { payer: 3, data: new Uint8Array(32).fill(3), maxFeePerGas: 11n },
  ]
  const [part, ...others] = share(all)
  expect(others).toEqual([])
  if (part === undefined) throw new Error('no part')
  const terms = readTerms(part.draft.terms, CHAIN_ID)
  expect(terms).toMatchObject({ sender: SETTLER, gas: 280_000n, dataFeeMax: 15n })
  expect(terms.fees).toEqual({ maxFeePerGas: 11n, maxPriorityFeePerGas: 2n })
  expect(terms.call).toMatchObject({ to: '0xcA11bde05977b3631167028862bE2a173976CA11', value: 0n })
  const decoded = decodeFunctionData({
    abi: multicall3Abi,
    data: `0x${Buffer.from(terms.call.data).toString('hex')}`,
  })
  expect(decoded.functionName).toBe('aggregate3')
  expect(decoded.args).toEqual([
    all.map(({ token = USDC, data }) => ({
      target: token,
      allowFailure: true,
      callData: hexBytes(data),
    })),
  ])
  const { ceilingMultiple } = config.fees
  expect(part.draft).toMatchObject({
    feeCeiling: 280_000n * 11n * ceilingMultiple + 15n,
    feeExpected: 250_000n,
    laneLatest: 3n,
    settlerBalance: 77n,
  })
})
