import { parseAmount } from '@florin/wire/amount.ts'
import type { Arguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'

const ASSET_DEFAULT = 'USDC'
/** A dime; as much of another asset may be thousands of times that. */
const MAX_DEFAULT = '0.10'
/** More than any asset has: amounts are compared here, and read for good by the service, which knows the asset. */
const DECIMALS_MAX = 40

/** What an agent may do with the account, fixed when its host starts the command and not to be changed by what it is told. */
export interface Allowance {
  /** The one asset it may spend. */
  readonly asset: string
  /** The most that one call may pay, whole units of it. */
  readonly maxAmount: string
  /** The only wallets that pay; undefined: any of the account's. */
  readonly wallets: readonly string[] | undefined
  /** Whether it may pay addresses, and not only sellers of x402. */
  readonly maySend: boolean
}

/** Reads `--max`, `--asset`, `--wallets` and `--send`. @throws UsageError */
export function readAllowance(given: Arguments): Allowance {
  const asset = given.flag('asset') ?? ASSET_DEFAULT
  const maxAmount = given.flag('max') ?? (asset === ASSET_DEFAULT ? MAX_DEFAULT : undefined)
  if (maxAmount === undefined) {
    throw new UsageError(`say how much of ${asset} one call may pay at most: --max AMOUNT`)
  }
  if (!parseAmount(maxAmount, DECIMALS_MAX).ok) {
    throw new UsageError(`--max must be a decimal number such as 0.05, not "${maxAmount}"`)
  }
  const wallets = given.flag('wallets')?.split(',')
  if (wallets?.includes('') === true) {
    throw new UsageError('--wallets takes addresses with commas between them')
  }
  return { asset, maxAmount, wallets, maySend: given.has('send') }
}

/** What is wrong with an amount that a call would pay; undefined when it is within the allowance. */
export function amountProblem(amount: string, { asset, maxAmount }: Allowance): string | undefined {
  const [wanted, most] = [amount, maxAmount].map((text) => parseAmount(text, DECIMALS_MAX))
  if (wanted?.ok !== true || most?.ok !== true) {
    return `"${amount}" is no amount: write a decimal number such as 0.05`
  }
  return wanted.amount > most.amount
    ? `one call may pay ${maxAmount} ${asset} at most here, not ${amount}. Whoever runs this server decides that (--max).`
    : undefined
}
