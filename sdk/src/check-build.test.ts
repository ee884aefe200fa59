import { encodeFunctionData, erc20Abi, serializeTransaction } from 'viem'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { checkBuild } from './check-build.ts'
import type { CheckOptions } from './check-build.ts'
import type { BuildTransactionAnswer, BuildTransactionBody } from './contract/build-transaction.ts'
import { solanaBytes } from './test-build.ts'

const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const THIEF = '0x1111111111111111111111111111111111111111'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const BASE = 'eip155:84532'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const TAIL = `9fde4014${'c5'.repeat(32)}`
const [PAYER, SELLER, MINT] = [
  'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
  '2KW2XRd9kwqet15Aha2oK3tYvd3nWbTFH1MBiRAv1BE1',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
]

const rest = {
  success: true,
  status: 'pending',
  ...{ paymentId: 'pay_1', lastValidBlockHeight: 1, paymentProof: null },
  ...{ expiresAt: 1, expiryEnforcedByChain: false, fee: '0', priorityFee: '0', accountRent: '0' },
  summary: { feePayer: null, transfers: [], commitments: [], createsAccounts: [], others: [] },
  ...{ estimatedConfirmation: '1 second', timestamp: 1 },
} as const

interface Call {
  readonly chainId?: number
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
}

/** A build of this call, whose fields say the other one. */
function evm(call: Call = {}, shown: Call = call): BuildTransactionAnswer {
  const whole = ({ to = RECIPIENT, value = 25n * 10n ** 17n, ...more }: Call) => ({
    ...{ chainId: 84_532, to, value, data: `0x${TAIL}` as const },
    ...{ nonce: 7, gas: 23_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
    ...more,
  })
  const text = serializeTransaction({ type: 'eip1559', ...whole(call) })
  const { value, gas, maxFeePerGas, maxPriorityFeePerGas, ...same } = whole(shown)
  const fees = { maxFeePerGas: `${maxFeePerGas}`, maxPriorityFeePerGas: `${maxPriorityFeePerGas}` }
  return {
    ...rest,
    ...{ format: 'eip1559-rlp', network: BASE },
    transaction: Buffer.from(text.slice(2), 'hex').toString('base64'),
    unsigned: { ...same, value: `${value}`, gas: `${gas}`, ...fees },
  }
}

const transfer = (to: Hex, amount: bigint, tail = TAIL): Call => ({
  ...{ to: USDC, value: 0n },
  data: `${encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })}${tail}`,
})

function solana(more: Partial<Parameters<typeof solanaBytes>[0]> = {}): BuildTransactionAnswer {
  const transaction = solanaBytes({ sender: PAYER, recipient: SELLER, ...more })
  return { ...rest, format: 'solana-v0', network: SOLANA, transaction }
}

const networks = async () =>
  [BASE, SOLANA].map((network) => ({
    network,
    assets: [
      { symbol: 'COIN', asset: 'native', decimals: 3 },
      { symbol: 'USDC', asset: network === BASE ? USDC : MINT, decimals: 6 },
    ],
  }))

type Order = Partial<BuildTransactionBody>
const check = (build: BuildTransactionAnswer, order: Order = {}, options: CheckOptions = {}) => {
  const [walletAddress, recipientAddress] =
    build.format === 'solana-v0' ? [PAYER, SELLER] : [THIEF, RECIPIENT]
  const whole = { walletAddress, recipientAddress, amount: '2.5', ...order }
  return checkBuild(build, whole, networks, options)
}
const differing = async (...given: Parameters<typeof check>): Promise<unknown> => {
  const error: unknown = await check(...given).catch((caught: unknown) => caught)
  return error instanceof Error ? Reflect.get(error, 'details')?.differs : 'nothing'
}

describe('on EVM', () => {
  test('what was asked for may be signed, as the bytes say it', async () => {
    const { transaction } = Object(await check(evm(), { network: BASE }))
    expect(transaction).toMatchObject({
      ...{ chainId: 84_532, nonce: 7, gas: 23_000n, to: RECIPIENT.toLowerCase() },
      ...{ value: 25n * 10n ** 17n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
    })
    await check(evm({ data: '0x' }), { network: 'base-sepolia', asset: 'coin', amount: 2.5 })
    await check(evm(transfer(RECIPIENT, 2_500_000n)), { asset: 'usdc' })
    await check(evm(transfer(RECIPIENT, 2_500_000n, '')), { asset: USDC.toLowerCase() })
  })

  const dear = { gas: 1_000_000n, maxFeePerGas: 10n ** 11n }
  const approve = encodeFunctionData({
    ...{ abi: erc20Abi, functionName: 'approve', args: [RECIPIENT, 2_500_000n] },
  })
  test.each<[string, BuildTransactionAnswer, Order, string]>([
    ['on another network', evm(), { network: 'eip155:8453' }, 'network'],
    ['on another network by name', evm(), { network: 'base' }, 'network'],
    ['for another chain', evm({ chainId: 1 }), {}, 'chain id'],
    ['to somebody else', evm({ to: THIEF }), {}, 'recipient'],
    ['another amount', evm({ value: 9n * 10n ** 18n }), {}, 'amount'],
    ['with data that is no commitment', evm({ data: approve }), {}, 'call data'],
    ['with data behind it', evm({ data: `0x${TAIL}00` }), {}, 'call data'],
    ['native for a token', evm(), { asset: 'USDC' }, 'asset'],
    ['a token for native', evm(transfer(RECIPIENT, 1n)), {}, 'recipient'],
    [
      'of another token',
      evm({ ...transfer(RECIPIENT, 1n), to: THIEF }),
      { asset: 'USDC' },
      'asset',
    ],
    ['of an asset that is not listed', evm(), { asset: THIEF }, 'asset'],
    ['tokens to somebody else', evm(transfer(THIEF, 1n)), { asset: 'USDC' }, 'recipient'],
    ['more tokens', evm(transfer(RECIPIENT, 2_500_001n)), { asset: 'USDC' }, 'amount'],
    [
      'tokens and coins',
      evm({ ...transfer(RECIPIENT, 2_500_000n), value: 1n }),
      { asset: 'USDC' },
      'native value',
    ],
    [
      'a token call that is no transfer',
      evm({ to: USDC, value: 0n, data: approve }),
      { asset: 'USDC' },
      'call',
    ],
    [
      'a token call with more behind it',
      evm(transfer(RECIPIENT, 2_500_000n, `${TAIL}${TAIL}`)),
      { asset: 'USDC' },
      'call data',
    ],
    ['at any price', evm(dear), {}, 'fee'],
    ['with other fields than bytes', evm({}, { to: THIEF }), {}, 'field to'],
    ['with other nonces', evm({}, Object({ nonce: 8 })), {}, 'field nonce'],
    ['without fields', Object({ ...evm(), unsigned: undefined }), {}, 'field chainId'],
    ['no bytes', { ...evm(), transaction: 'AA==' }, {}, 'transaction'],
    ['no base64', { ...evm(), transaction: '%%' }, {}, 'transaction'],
    ['bytes and one more', { ...evm(), transaction: longer(evm()) }, {}, 'transaction'],
    ['of the other family', { ...evm(), format: 'solana-v0' }, {}, 'format'],
  ])('%s is refused', async (_, build, order, differs) => {
    expect(await differing(build, order)).toBe(differs)
  })

  test('the caller bounds the fee', async () => {
    expect(await differing(evm(), {}, { maxFee: '0.000022' })).toBe('fee')
    expect(await differing(evm(), {}, { maxFee: '0.000023' })).toBe('nothing')
    expect(await differing(evm(dear), { priorityFee: '0.05' })).toBe('nothing')
    await expect(check(evm(), {}, { maxFee: 'much' })).rejects.toThrow('maxFee')
  })
})

function longer({ transaction }: BuildTransactionAnswer): string {
  return Buffer.concat([Buffer.from(transaction, 'base64'), Buffer.of(0)]).toString('base64')
}

describe('on Solana', () => {
  const token = { mint: MINT, amount: 2_500_000n }
  const usdc = { asset: 'USDC' }

  test('what was asked for may be signed', async () => {
    await check(solana())
    await check(solana({ pricePerUnit: 0n }), { network: 'solana-devnet' })
    await check(solana(token), usdc)
    await check(solana({ ...token, createsAccount: true }), { asset: MINT })
  })

  const twice = (all: readonly object[]) => [...all.slice(0, 3), ...all.slice(2)]
  test.each<[string, BuildTransactionAnswer, Order, string]>([
    ['to somebody else', solana({ recipient: MINT }), {}, 'recipient'],
    ['another amount', solana({ amount: 9n }), {}, 'amount'],
    ['paid by another fee payer', solana({ feePayer: MINT }), {}, 'fee payer'],
    ['out of another wallet', solana({ sender: MINT }), {}, 'fee payer'],
    ['at any price', solana({ pricePerUnit: 10n ** 12n }), {}, 'fee'],
    ['with another memo', solana({ memo: 'hello' }), {}, 'memo'],
    ['twice', solana({ change: (all) => Object(twice(all)) }), {}, 'memo'],
    [
      'and more',
      solana({ change: (all) => [...all, ...all.slice(2, 3)] }),
      {},
      'list of instructions',
    ],
    ['without a limit', solana({ change: (all) => all.slice(1) }), {}, 'first instruction'],
    ['lamports for a token', solana(), usdc, 'transfer'],
    ['a token for lamports', solana(token), {}, 'transfer'],
    ['of another token', solana({ ...token, mint: SELLER }), usdc, 'asset'],
    ['another amount of tokens', solana({ ...token, amount: 1n }), usdc, 'amount'],
    ['to a token account of somebody else', solana({ ...token, pays: MINT }), usdc, 'recipient'],
    [
      'to a new token account of somebody else',
      solana({ ...token, recipient: MINT, pays: SELLER, createsAccount: true }),
      usdc,
      'token account that is made',
    ],
    ['no bytes', { ...solana(), transaction: 'AA==' }, {}, 'transaction'],
    ['bytes and one more', { ...solana(), transaction: longer(solana()) }, {}, 'transaction'],
    ['of the other family', { ...solana(), format: 'eip1559-rlp' }, {}, 'format'],
  ])('%s is refused', async (_, build, order, differs) => {
    expect(await differing(build, order)).toBe(differs)
  })
})
