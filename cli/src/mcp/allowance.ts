import { isWithin, readCeiling } from '../caller/ceiling.ts'
import type { Ceiling } from '../caller/ceiling.ts'
import { isSameAddress } from '../caller/choose-payer.ts'
import type { Arguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'

/** What an agent may do with the account, fixed when its host starts the command and not to be changed by what it is told. The ceiling is of one call. */
export interface Allowance extends Ceiling {
  /** The only wallets that pay; undefined: any of the account's. */
  readonly wallets: readonly string[] | undefined
  /** Whether it may pay addresses, and not only sellers of x402. */
  readonly maySend: boolean
}

/** Reads `--max`, `--asset`, `--wallets` and `--send`. @throws UsageError */
export function readAllowance(given: Arguments): Allowance {
  const wallets = given.flag('wallets')?.split(',')
  if (wallets?.includes('') === true) {
    throw new UsageError('--wallets takes addresses with commas between them')
  }
  return { ...readCeiling(given), wallets, maySend: given.has('send') }
}

/** What is wrong with an amount that a call would pay; undefined when it is within the allowance. */
export function amountProblem(amount: string, allowance: Allowance): string | undefined {
  const isAllowed = isWithin(amount, allowance)
  if (isAllowed === undefined) {
    return `"${amount}" is no amount: write a decimal number such as 0.05`
  }
  const { asset, maxAmount } = allowance
  return isAllowed
    ? undefined
    : `one call may pay ${maxAmount} ${asset} at most here, not ${amount}. Whoever runs this server decides that (--max).`
}

/** Whether a wallet is one of those that may pay. */
export function isPayer({ wallets }: Allowance, address: string): boolean {
  return wallets === undefined || wallets.some((one) => isSameAddress(one, address))
}
