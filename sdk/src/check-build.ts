import type { Asked } from './asked.ts'
import { addressBytes } from './base58.ts'
import { baseUnitsOf } from './base-units.ts'
import { buildDiffers } from './build-differs.ts'
import { checkEvm } from './check-evm.ts'
import { checkSolana } from './check-solana.ts'
import type { BuildTransactionAnswer, BuildTransactionBody } from './contract/build-transaction.ts'
import type { ListNetworksAnswer } from './contract/list-networks.ts'
import { NETWORK_NAMES } from './contract/network-names.ts'
import { FlorinError } from './florin-error.ts'
import { limits } from './limits.ts'
import type { EvmTransaction } from './own-wallet.ts'
import type { SolanaBytes } from './read-solana.ts'

/** What a service lists. */
export type Networks = readonly Pick<ListNetworksAnswer['networks'][number], 'network' | 'assets'>[]

export interface CheckOptions {
  /**
   * The most that the network may take, whole native units; 0.05 on EVM and 0.01 on Solana when left out, and whatever `priorityFee`
   * the order names. Not in it: rent of a token account that is made, and what a rollup takes for data.
   */
  readonly maxFee?: string | undefined
}

/** What may be signed. */
export type Checked =
  | { readonly family: 'evm'; readonly transaction: EvmTransaction }
  | { readonly family: 'solana'; readonly bytes: SolanaBytes }

/**
 * Holds what a service built against what was ordered, byte by byte: its network, one transfer of the amount to the recipient, a bounded
 * fee, and nothing else. The service is believed about which token a symbol is, and on EVM how many fraction digits a token has:
 * `networks` asks it.
 * @throws {FlorinError} BUILD_DIFFERS, or INVALID_SETTING for an unusable `maxFee`.
 */
export async function checkBuild(
  build: BuildTransactionAnswer,
  order: BuildTransactionBody,
  networks: () => Promise<Networks>,
  options: CheckOptions = {},
): Promise<Checked> {
  const { network, format } = build
  const wanted = order.network === undefined ? network : idOf(order.network)
  if (network !== wanted) throw buildDiffers('network', wanted, network)
  const family = format === 'solana-v0' ? 'solana' : 'evm'
  if (!network.startsWith(family === 'evm' ? 'eip155:' : 'solana:')) {
    throw buildDiffers('format', `one of ${network}`, format)
  }
  const nativeDecimals = family === 'evm' ? 18 : 9
  const named = await assetOf(order.asset ?? 'native', network, nativeDecimals, networks)
  const asked: Asked = { order, ...named, ...feeMaxOf(order, family, nativeDecimals, options) }
  return family === 'evm'
    ? { family, transaction: checkEvm(build, asked) }
    : { family, bytes: await checkSolana(build, asked) }
}

/** A CAIP-2 id, or an x402 v1 name of one. */
export function idOf(name: string): string {
  return Object.entries(NETWORK_NAMES).find(([known]) => known === name)?.[1] ?? name
}

/** A whole key in base58 is at least this long; a symbol is not. */
const KEY_CHARACTERS_MIN = 32

async function assetOf(
  name: string,
  network: string,
  nativeDecimals: number,
  networks: () => Promise<Networks>,
): Promise<Pick<Asked, 'asset' | 'decimals'>> {
  if (name === 'native') return { asset: name, decimals: nativeDecimals }
  const isMint = network.startsWith('solana:') && name.length >= KEY_CHARACTERS_MIN
  // The decimals of a mint stand in the transfer.
  if (isMint && addressBytes(name) !== undefined) return { asset: name, decimals: 0 }
  const listed = (await networks()).find((each) => each.network === network)?.assets
  const isNamed = ({ asset, symbol }: { asset: string; symbol: string }) =>
    asset.toLowerCase() === name.toLowerCase() || symbol.toLowerCase() === name.toLowerCase()
  const found = listed?.find(isNamed)
  if (found === undefined) throw buildDiffers('asset', name, `not one that ${network} lists`)
  const { asset, decimals } = found
  return { asset, decimals: asset === 'native' ? nativeDecimals : decimals }
}

/** What the network may take. */
export function feeMaxOf(
  { priorityFee = 0 }: Pick<BuildTransactionBody, 'priorityFee'>,
  family: 'evm' | 'solana',
  decimals: number,
  { maxFee }: CheckOptions,
): Pick<Asked, 'feeMax' | 'feeMaxText'> {
  const most = maxFee ?? limits.feeMax[family]
  const base = baseUnitsOf(most, decimals)
  const extra = baseUnitsOf(maxFee === undefined ? priorityFee : 0, decimals)
  if (base === undefined || extra === undefined) {
    const message = 'maxFee is decimal text in whole units of the native currency'
    throw new FlorinError({ code: 'INVALID_SETTING', message })
  }
  return { feeMax: base + extra, feeMaxText: most }
}
