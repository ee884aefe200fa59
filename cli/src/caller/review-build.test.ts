import type { BuiltTransaction } from '@florin/sdk'
import { addressFromBytes } from '@florin/server/chains/solana/account.ts'
import { compileMessage } from '@florin/server/chains/solana/message.ts'
import { NO_SIGNATURE, withSignature } from '@florin/server/chains/solana/sign.ts'
import { encodeFunctionData, erc20Abi, serializeTransaction } from 'viem'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { reviewBuild } from './review-build.ts'

const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const THIEF = '0x1111111111111111111111111111111111111111'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

const summary = (asset: string, to: string, amountBaseUnits: string) => ({
  ...{ feePayer: null, commitments: [], createsAccounts: [], others: [] },
  transfers: [{ asset, from: null, to, amountBaseUnits }],
})

const rest = {
  success: true,
  status: 'pending',
  ...{ paymentId: 'pay_1', lastValidBlockHeight: 1 },
  ...{ expiresAt: 1, expiryEnforcedByChain: false, fee: '0', priorityFee: '0', accountRent: '0' },
  ...{ paymentProof: null, estimatedConfirmation: '1 second', timestamp: 1 },
} as const

interface Call {
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
}

/** A build that says of itself that it pays 5 wei, whatever its bytes are. */
function evm(call: Call, signs: Call = call): BuiltTransaction {
  const whole = ({ to = RECIPIENT, value = 5n, data = '0x' }: Call) => ({ to, value, data })
  const fees = { gas: 21_000n, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
  const fields = { chainId: 84_532, nonce: 3, ...whole(call), ...fees }
  const text = serializeTransaction({ type: 'eip1559', ...fields })
  const { to, value, data } = whole(signs)
  return {
    ...rest,
    format: 'eip1559-rlp',
    network: 'eip155:84532',
    transaction: Buffer.from(text.slice(2), 'hex').toString('base64'),
    summary: summary('native', RECIPIENT, '5'),
    unsigned: {
      ...{ to, value: `${value}`, data, nonce: 3, chainId: 84_532 },
      ...{ gas: '21000', maxFeePerGas: '9', maxPriorityFeePerGas: '1' },
    },
  }
}

const NETWORKS = ['eip155:84532', SOLANA].map((network) => ({
  network,
  assets: [
    { symbol: 'ETH', asset: 'native', decimals: 18 },
    { symbol: 'USDC', asset: USDC, decimals: 6 },
  ],
}))
const FIVE = '0.000000000000000005'
const review = (build: BuiltTransaction, recipientAddress: string, more: object = {}) =>
  reviewBuild(build, { recipientAddress, amount: FIVE, asset: 'native', ...more }, NETWORKS)

test('what pays the recipient what was typed is signed', () => {
  review(evm({}), RECIPIENT)
  review(evm({}), RECIPIENT.toLowerCase())
  review(evm({}), RECIPIENT, { network: 'base-sepolia' })
  const args = [RECIPIENT, 2_500_000n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  const build = evm({ to: USDC, value: 0n, data })
  review(build, RECIPIENT, { amount: '2.5', asset: 'usdc' })
  expect(() => review(build, RECIPIENT, { amount: '2.6', asset: 'USDC' })).toThrow('amount')
  expect(() => review(build, RECIPIENT)).toThrow('it moves nothing')
  expect(() => review(build, RECIPIENT, { amount: '2.5', asset: 'DAI' })).toThrow('no DAI')
})

test('what is for another network than was typed is not', () => {
  for (const network of ['eip155:8453', 'base', SOLANA, 'nowhere']) {
    expect(() => review(evm({}), RECIPIENT, { network })).toThrow('it is for eip155:84532')
  }
})

test('bytes or fields that do anything else are not, whatever the service says of them', () => {
  const args = [THIEF, 5n] as const
  const drain = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  for (const [build, words] of [
    [evm({ to: THIEF }), 'it pays'],
    [evm({ value: 6n }), 'another amount'],
    [evm({ value: 0n, data: drain }), 'it moves nothing'],
    [evm({ data: drain }), 'it calls'],
    [evm({ to: USDC, value: 0n, data: drain }), 'it moves nothing'],
    [evm({}, { to: THIEF }), 'not those of its bytes'],
    [evm({}, { value: 6n }), 'not those of its bytes'],
    [evm({}, { data: drain }), 'not those of its bytes'],
    [{ ...evm({}), network: 'eip155:1' }, 'lists no'],
    [{ ...evm({}), transaction: 'AvhpgwFL' }, 'cut off'],
  ] as const) {
    expect(() => review(build, RECIPIENT)).toThrow(words)
  }
})

test('on Solana, too', () => {
  const [payer, seller, thief, system] = [1, 2, 3, 0].map((fill) =>
    addressFromBytes(new Uint8Array(32).fill(fill)),
  )
  if (!payer || !seller || !thief || !system) throw new Error('no address')
  const move = (to: typeof payer, amount: number) => ({
    program: system,
    accounts: [payer, to].map((address) => ({ address, isWritable: true })),
    data: Uint8Array.of(2, 0, 0, 0, amount, 0, 0, 0, 0, 0, 0, 0),
  })
  const build = (...moves: ReturnType<typeof move>[]): BuiltTransaction => ({
    ...rest,
    format: 'solana-v0',
    network: SOLANA,
    transaction: Buffer.from(
      withSignature(NO_SIGNATURE, compileMessage(payer, moves, '1'.repeat(32))),
    ).toString('base64'),
    summary: summary('native', seller, '5'),
  })
  review(build(move(seller, 5)), seller)
  expect(() => review(build(move(thief, 5)), seller)).toThrow('it pays')
  expect(() => review(build(move(seller, 4)), seller)).toThrow('another amount')
  expect(() => review(build(move(seller, 5), move(thief, 1)), seller)).toThrow('more than one')
  const assign = { ...move(seller, 5), data: Uint8Array.of(1, 0, 0, 0) }
  expect(() => review(build(move(seller, 5), assign), seller)).toThrow('not known here')
})
