import type { BaseUnits } from '@florin/wire/amount.ts'
import { formatAmount, parseAmount } from '@florin/wire/amount.ts'
import { isShare } from '@florin/wire/decimal.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { SLIPPAGE_PERCENT_DEFAULT } from '@florin/wire/trade.ts'
import { readAmount } from '../chains/read-amount.ts'
import type { AssetProfile, NetworkConfig } from '../kernel/network-config.ts'
import type { Wanted } from './amount-in.ts'

/** How much less than quoted may come out, in percent. Refuses both spellings together. */
export function slippageOf(said: {
  readonly slippage?: string | undefined
  readonly slippageBps?: number | undefined
}): string {
  const { slippage, slippageBps } = said
  if (slippage !== undefined && slippageBps !== undefined) throw both('slippage', 'slippageBps')
  if (slippageBps !== undefined) return formatAmount(BigInt(slippageBps), 2)
  const text = slippage ?? SLIPPAGE_PERCENT_DEFAULT
  const parsed = parseAmount(text, 18)
  if (!parsed.ok) throw invalid({ slippage: 'at most 18 fraction digits' })
  return formatAmount(parsed.amount, 18)
}

/** Which wallet is meant, and what its field was called. Refuses both names together, and neither. */
export function walletOf(said: {
  readonly publicKey?: string | undefined
  readonly walletAddress?: string | undefined
}): { readonly text: string; readonly field: string } {
  const { publicKey, walletAddress } = said
  if (publicKey !== undefined && walletAddress !== undefined) {
    throw both('publicKey', 'walletAddress')
  }
  if (publicKey !== undefined) return { text: publicKey, field: 'publicKey' }
  if (walletAddress !== undefined) return { text: walletAddress, field: 'walletAddress' }
  throw invalid({ publicKey: 'is required' })
}

/** How many tokens are to be sold. Refuses none at all, and an amount beside everything. */
export function soldOf(
  said: { readonly amount?: string | undefined; readonly sellAll?: boolean | undefined },
  config: Pick<NetworkConfig, 'family'>,
  token: Pick<AssetProfile, 'decimals'>,
): Wanted {
  const { amount, sellAll = false } = said
  if (sellAll && amount !== undefined) throw both('amount', 'sellAll')
  if (sellAll) return { kind: 'share', percent: '100' }
  if (amount === undefined) throw invalid({ amount: 'is required unless sellAll is true' })
  if (isShare(amount)) return { kind: 'share', percent: amount.slice(0, -1) }
  return { kind: 'units', units: unitsOf('amount', amount, config, token) }
}

/** An amount above 0 that its asset can express. */
export function unitsOf(...[field, ...said]: Parameters<typeof readAmount>): BaseUnits {
  const amount = readAmount(field, ...said)
  if (amount === 0n) throw invalid({ [field]: 'must be more than 0' })
  return amount
}

function both(one: string, other: string): Refusal {
  const rule = `give ${one} or ${other}, not both`
  return invalid({ [one]: rule, [other]: rule })
}

function invalid(details: Readonly<Record<string, string>>): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details })
}
