import { BASE_UNITS_MAX, formatAmount, parseAmount } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import type { AssetProfile } from '../kernel/network-config.ts'

/** What a balance of each family can hold: a word of the EVM, a u64 of Solana's programs. Base units. */
const UNITS_MAX: Readonly<Record<Family, bigint>> = { evm: BASE_UNITS_MAX, solana: 2n ** 64n - 1n }

/**
 * Reads a money field of a request into base units of an asset; nothing is allowed. The edge has checked form and range: what is left is whether
 * the asset can express it, and whether its chain can count that far, since a node or a market that is asked for more answers nothing
 * that could be understood. Refuses INVALID_PARAMETERS, naming the field.
 */
export function readAmount(
  field: string,
  text: string,
  { family }: { readonly family: Family },
  { decimals }: Pick<AssetProfile, 'decimals'>,
): BaseUnits {
  const parsed = parseAmount(text, decimals)
  const most = UNITS_MAX[family]
  if (parsed.ok && parsed.amount <= most) return parsed.amount
  const problem = parsed.ok ? 'too-large' : parsed.problem
  const rules = {
    malformed: 'must be a plain decimal amount',
    'too-fine': `at most ${decimals} fraction digits`,
    'too-large': `must be at most ${formatAmount(most, decimals)}`,
  } as const
  throw new Refusal('INVALID_PARAMETERS', { details: { [field]: rules[problem] } })
}
