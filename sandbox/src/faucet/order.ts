import { getAddress, isAddress, parseUnits } from 'viem/utils'
import type { Address } from 'viem'
import { EVM_NETWORK, NATIVE_DECIMALS, USDC_ADDRESS, USDC_DECIMALS } from '../evm/chain-facts.ts'
import type { Json } from '../host/json.ts'
import { isJsonObject } from '../host/json.ts'

/** What the faucet gives when no amount is named, and the most it gives at once, in whole units. */
const ASSETS = {
  native: { decimals: NATIVE_DECIMALS, usual: '10', max: '10000' },
  USDC: { decimals: USDC_DECIMALS, usual: '1000', max: '1000000' },
} as const
const FIELDS = new Set(['address', 'network', 'asset', 'amount'])
const DECIMAL = /^\d{1,20}(\.\d{1,18})?$/

export interface FaucetOrder {
  readonly address: Address
  readonly asset: keyof typeof ASSETS
  /** Whole units, as they go into the answer. */
  readonly amount: string
  readonly amountBaseUnits: bigint
}

export interface OrderError {
  readonly code: string
  readonly message: string
}

/** Reads a faucet request; every refusal says what would be right. */
export function readOrder(body: Json | undefined): FaucetOrder | OrderError {
  if (!isJsonObject(body)) return invalid('the body is no JSON object')
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field))
  if (unknown !== undefined) return invalid(`unknown field "${unknown}"`)
  const { address, network = EVM_NETWORK, asset: name = 'native' } = body
  if (network !== EVM_NETWORK) {
    return { code: 'UNSUPPORTED_NETWORK', message: `network is ${EVM_NETWORK}` }
  }
  if (typeof address !== 'string' || !isAddress(address)) {
    return invalid('address is 0x and 40 hex digits, with a right checksum when in mixed case')
  }
  const asset = typeof name === 'string' ? assetNamed(name) : undefined
  if (asset === undefined) {
    return { code: 'UNSUPPORTED_ASSET', message: `asset is native, USDC or ${USDC_ADDRESS}` }
  }
  const { decimals, usual, max } = ASSETS[asset]
  const amount = amountText(body['amount'] ?? usual)
  if (amount === undefined || (amount.split('.')[1]?.length ?? 0) > decimals) {
    return invalid(`amount is a decimal number with at most ${decimals} fraction digits`)
  }
  const amountBaseUnits = parseUnits(amount, decimals)
  if (amountBaseUnits <= 0n || amountBaseUnits > parseUnits(max, decimals)) {
    return invalid(`amount is above 0 and at most ${max} ${asset}`)
  }
  return { address: getAddress(address), asset, amount, amountBaseUnits }
}

function assetNamed(name: string): keyof typeof ASSETS | undefined {
  if (name.toLowerCase() === 'native') return 'native'
  const isToken = name.toLowerCase() === USDC_ADDRESS.toLowerCase()
  return isToken || name.toUpperCase() === 'USDC' ? 'USDC' : undefined
}

/** Numbers are fine as long as they print as plain decimals; sandbox money may pass through a double, ours may not. */
function amountText(value: Json): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && DECIMAL.test(text) ? text : undefined
}

function invalid(message: string): OrderError {
  return { code: 'INVALID_PARAMETERS', message }
}
