import { isAddress as isSolanaAddress } from '@solana/kit'
import { getAddress, isAddress, parseUnits } from 'viem/utils'
import type { Address } from 'viem'
import {
  EVM_NETWORK,
  NATIVE_DECIMALS,
  OLD_TOKEN,
  SANDBOX_TOKENS,
  USDC_ADDRESS,
  USDC_DECIMALS,
} from '../evm/chain-facts.ts'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'
import {
  SOL_DECIMALS,
  SOLANA_NETWORK,
  SOLANA_USDC,
  SOLANA_USDC_DECIMALS,
} from '../solana/chain-facts.ts'

/** Something that the faucet gives: a token by its address or mint, or the native currency. */
export interface FaucetAsset {
  readonly symbol: string
  /** Null: native. */
  readonly mint: string | null
  readonly decimals: number
}

/** What the faucet gives when no amount is named, and the most it gives at once, in whole units. */
const AMOUNTS = {
  native: { usual: '10', max: '10000' },
  token: { usual: '1000', max: '1000000' },
} as const
const EVM: readonly FaucetAsset[] = [
  { symbol: 'native', mint: null, decimals: NATIVE_DECIMALS },
  { symbol: 'USDC', mint: USDC_ADDRESS, decimals: USDC_DECIMALS },
  ...SANDBOX_TOKENS,
  OLD_TOKEN,
]
const SOLANA: readonly FaucetAsset[] = [
  { symbol: 'native', mint: null, decimals: SOL_DECIMALS },
  { symbol: 'USDC', mint: SOLANA_USDC, decimals: SOLANA_USDC_DECIMALS },
]
const FIELDS = new Set(['address', 'network', 'asset', 'amount'])
const EVM_FORM = '0x and 40 hex digits, with a right checksum when in mixed case'
const SOLANA_FORM = '32 bytes in base58'
const DECIMAL = /^\d{1,20}(\.\d{1,18})?$/

interface Sum {
  readonly asset: FaucetAsset
  /** Whole units, as they go into the answer. */
  readonly amount: string
  readonly amountBaseUnits: bigint
}

export interface EvmFaucetOrder extends Sum {
  readonly chain: 'evm'
  readonly address: Address
}

export interface SolanaFaucetOrder extends Sum {
  readonly chain: 'solana'
  readonly address: string
}

export type FaucetOrder = EvmFaucetOrder | SolanaFaucetOrder

export interface OrderError {
  readonly code: string
  readonly message: string
}

/** Reads a faucet request; every refusal says what would be right. `solanaTokens`: what is traded there, whose mints each chain makes anew. */
export function readOrder(
  body: Json | undefined,
  solanaTokens: readonly FaucetAsset[],
): FaucetOrder | OrderError {
  if (!isJsonObject(body)) return invalid('the body is no JSON object')
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field))
  if (unknown !== undefined) return invalid(`unknown field "${unknown}"`)
  const { address } = body
  // An address says of which chain it is: base58 has no 0.
  const { network = isSolana(address) ? SOLANA_NETWORK : EVM_NETWORK } = body
  if (network === SOLANA_NETWORK) {
    if (!isSolana(address)) return invalid(`address is ${SOLANA_FORM}`)
    const sum = readSum(body, [...SOLANA, ...solanaTokens])
    return 'code' in sum ? sum : { chain: 'solana', address, ...sum }
  }
  if (network !== EVM_NETWORK) {
    return {
      code: 'UNSUPPORTED_NETWORK',
      message: `network is ${EVM_NETWORK} or ${SOLANA_NETWORK}`,
    }
  }
  if (typeof address !== 'string' || !isAddress(address)) {
    const isOpen = body['network'] === undefined
    return invalid(`address is ${EVM_FORM}${isOpen ? `, or on Solana ${SOLANA_FORM}` : ''}`)
  }
  const sum = readSum(body, EVM)
  return 'code' in sum ? sum : { chain: 'evm', address: getAddress(address), ...sum }
}

function isSolana(address: Json | undefined): address is string {
  return typeof address === 'string' && isSolanaAddress(address)
}

function readSum(body: JsonObject, assets: readonly FaucetAsset[]): Sum | OrderError {
  const { asset: name = 'native' } = body
  const asset = typeof name === 'string' ? assetNamed(name, assets) : undefined
  if (asset === undefined) {
    const known = assets.map(({ symbol, mint }) => (mint === null ? symbol : `${symbol} (${mint})`))
    return { code: 'UNSUPPORTED_ASSET', message: `asset is one of ${known.join(', ')}` }
  }
  const { symbol, mint, decimals } = asset
  const { usual, max } = AMOUNTS[mint === null ? 'native' : 'token']
  const amount = amountText(body['amount'] ?? usual)
  if (amount === undefined || (amount.split('.')[1]?.length ?? 0) > decimals) {
    return invalid(`amount is a decimal number with at most ${decimals} fraction digits`)
  }
  const amountBaseUnits = parseUnits(amount, decimals)
  if (amountBaseUnits <= 0n || amountBaseUnits > parseUnits(max, decimals)) {
    return invalid(`amount is above 0 and at most ${max} ${symbol}`)
  }
  return { asset, amount, amountBaseUnits }
}

/** A symbol or a hex address counts in any case; base58 only as it is. */
function assetNamed(name: string, assets: readonly FaucetAsset[]): FaucetAsset | undefined {
  const lower = name.toLowerCase()
  return assets.find(
    ({ symbol, mint }) =>
      symbol.toLowerCase() === lower ||
      mint === name ||
      (mint?.startsWith('0x') === true && mint.toLowerCase() === lower),
  )
}

/** Numbers are fine as long as they print as plain decimals; sandbox money may pass through a double, ours may not. */
function amountText(value: Json): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && DECIMAL.test(text) ? text : undefined
}

function invalid(message: string): OrderError {
  return { code: 'INVALID_PARAMETERS', message }
}
