import fc from 'fast-check'
import { encodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { addressFromBytes } from './account.ts'
import { MULTICALL, balanceView, blockNumberView, dataFeeView, readViews } from './multicall.ts'
import { USDC } from './test-network.ts'

const ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) returns (Result[] results)',
  'function getBlockNumber() returns (uint256)',
  'function getEthBalance(address) returns (uint256)',
  'function balanceOf(address) returns (uint256)',
  'function getL1FeeUpperBound(uint256) returns (uint256)',
])
const HOLDER = addressFromBytes(new Uint8Array(20).fill(0x5a))
const ORACLE = '0x420000000000000000000000000000000000000F'
const VIEWS = [
  blockNumberView,
  balanceView(HOLDER, 'native'),
  balanceView(HOLDER, USDC.asset),
  dataFeeView(236),
]

const word = (value: bigint): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`
const results = (items: readonly { success: boolean; returnData: `0x${string}` }[]): string =>
  encodeFunctionResult({ abi: ABI, functionName: 'aggregate3', result: items })
const good = (value: bigint) => ({ success: true, returnData: word(value) })

describe('views of one block', () => {
  test('are asked as viem would ask', () => {
    const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`
    const call = (target: string, allowFailure: boolean, callData: `0x${string}`) => ({
      target: hex(target),
      allowFailure,
      callData,
    })
    const data = encodeFunctionData({
      abi: ABI,
      functionName: 'aggregate3',
      args: [
        [
          call(MULTICALL, false, encodeFunctionData({ abi: ABI, functionName: 'getBlockNumber' })),
          call(
            MULTICALL,
            false,
            encodeFunctionData({ abi: ABI, functionName: 'getEthBalance', args: [hex(HOLDER)] }),
          ),
          call(
            USDC.asset,
            false,
            encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [hex(HOLDER)] }),
          ),
          call(
            ORACLE,
            true,
            encodeFunctionData({ abi: ABI, functionName: 'getL1FeeUpperBound', args: [236n] }),
          ),
        ],
      ],
    })
    expect(readViews(VIEWS)).toMatchObject({
      method: 'eth_call',
      params: [{ to: MULTICALL, data }, 'latest'],
    })
  })

  test('are read as viem would read them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { minLength: 4, maxLength: 4 }),
        (values) => {
          expect(readViews(VIEWS).parse(results(values.map(good)))).toEqual(values)
        },
      ),
    )
  })

  test.each<[string, { success: boolean; returnData: `0x${string}` }]>([
    ['has no code', { success: true, returnData: '0x' }],
    ['does not know the call', { success: false, returnData: '0x' }],
    ['reverts with words', { success: false, returnData: word(1n) }],
  ])('cost nothing on top where the oracle %s', (_, oracle) => {
    const answer = results([good(7n), good(8n), good(9n), oracle])
    expect(readViews(VIEWS).parse(answer)).toEqual([7n, 8n, 9n, 0n])
  })

  const whole = results([good(7n), good(8n), good(9n), good(0n)])
  test.each<[string, unknown]>([
    ['no Multicall3 is there', '0x'],
    ['the answer is none', null],
    ['the answer is cut', whole.slice(0, -64)],
    ['a result is missing', results([good(7n), good(8n), good(9n)])],
    [
      'the token is not there',
      results([good(7n), good(8n), { success: true, returnData: '0x' }, good(0n)]),
    ],
    ['an offset points outside', `${whole.slice(0, 2)}${'f'.repeat(64)}${whole.slice(66)}`],
  ])('are a failure of the node when %s', (_, answer) => {
    expect(() => readViews(VIEWS).parse(answer)).toThrow(NodeFailure)
  })

  test('never make the parser throw anything but a failure of the node', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        try {
          readViews(VIEWS).parse(`0x${Buffer.from(bytes).toString('hex')}`)
        } catch (error) {
          expect(error).toBeInstanceOf(NodeFailure)
        }
      }),
    )
  })
})
