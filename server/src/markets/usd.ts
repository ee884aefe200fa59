import { canonicalAddress } from '@florin/wire/address.ts'
import { parseAmount } from '@florin/wire/amount.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { NetworkConfig, UsdReference } from '../kernel/network-config.ts'
import type { Tx } from '../store/postgres.ts'
import { latestPrices } from './price-store.ts'
import { RATIO_DIGITS, roughText } from './price.ts'

/** US dollars for one base unit of native currency, times 10^36, rounded down. */
export type UsdRate = bigint

/** Digits of dollars that are shown: a rate is an estimate, and both roundings of it are below these. */
const USD_DIGITS = 12
const SCALE = 10n ** BigInt(RATIO_DIGITS)

/** What native currency is worth now, by the network's reference; null when nobody knows. */
export async function usdRate(
  tx: Tx,
  { network, assets, usd }: Pick<NetworkConfig, 'network' | 'assets' | 'usd'>,
): Promise<UsdRate | null> {
  if (usd === undefined) return null
  const native = nativeOf({ assets }).decimals
  switch (usd.kind) {
    case 'fixed':
      return fixedRate(usd, native)
    case 'token': {
      const token = assets.find(({ asset }) => asset === usd.asset)
      // The dollar itself is what the network takes: no market says more.
      if (token?.isCurrency === true) return fixedRate({ kind: 'fixed', perNative: '1' }, native)
      const [price] = await latestPrices(tx, network, [canonicalAddress(usd.asset) ?? usd.asset])
      if (token === undefined || price === undefined) return null
      // One base unit of the token is 10^-decimals dollars, and so many native base units.
      const scale = SCALE * SCALE
      return scale / (price.ratio * 10n ** BigInt(token.decimals))
    }
    default:
      return usd satisfies never
  }
}

function fixedRate(usd: Extract<UsdReference, { kind: 'fixed' }>, native: number): UsdRate {
  const parsed = parseAmount(usd.perNative, RATIO_DIGITS)
  if (!parsed.ok) throw new Error('a fixed rate was checked when it was configured')
  return parsed.amount / 10n ** BigInt(native)
}

/** Native base units in dollars, as decimal text of 12 significant digits; null when either is not known. */
export function usdText(native: bigint | null, rate: UsdRate | null): string | null {
  return native === null || rate === null
    ? null
    : roughText(native * rate, RATIO_DIGITS, USD_DIGITS)
}

/** Dollars for one whole token, as decimal text of 12 significant digits; null when the rate is not known. */
export function usdPerToken(ratio: bigint, decimals: number, rate: UsdRate | null): string | null {
  return rate === null
    ? null
    : roughText(ratio * rate * 10n ** BigInt(decimals), 2 * RATIO_DIGITS, USD_DIGITS)
}
