import { parseAmount } from '@florin/wire/amount.ts'
import type { Arguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'

const ASSET_DEFAULT = 'USDC'
/** A dime; as much of another asset may be thousands of times that. */
const MAX_DEFAULT = '0.10'
/** More than any asset has: what an amount is worth in base units is the service's to say, which knows the asset. */
const DECIMALS_MAX = 40

/** What may be paid, and how much of it at most in one purchase: whole units. */
export interface Ceiling {
  readonly asset: string
  readonly maxAmount: string
}

/** Reads `--asset` and `--max`. @throws UsageError */
export function readCeiling(given: Pick<Arguments, 'flag'>): Ceiling {
  const asset = given.flag('asset') ?? ASSET_DEFAULT
  const maxAmount = given.flag('max') ?? (asset === ASSET_DEFAULT ? MAX_DEFAULT : undefined)
  if (maxAmount === undefined) {
    throw new UsageError(`say how much of ${asset} may be paid at most: --max AMOUNT`)
  }
  if (!parseAmount(maxAmount, DECIMALS_MAX).ok) {
    throw new UsageError(`--max must be a decimal number such as 0.05, not "${maxAmount}"`)
  }
  return { asset, maxAmount }
}

/** Whether an amount is within a ceiling; undefined when it is no amount. */
export function isWithin(amount: string, { maxAmount }: Ceiling): boolean | undefined {
  const [wanted, most] = [amount, maxAmount].map((text) => parseAmount(text, DECIMALS_MAX))
  return wanted?.ok === true && most?.ok === true ? wanted.amount <= most.amount : undefined
}
