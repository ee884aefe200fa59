import type { Florin, Wallet } from '@florin/sdk'
import type { Family } from '@florin/wire/network.ts'
import { CommandFailed } from '../usage-error.ts'

/** How whoever asked chooses a wallet, and where it sees them. */
export interface PayerWords {
  readonly choose: string
  readonly see: string
}

const COMMAND_WORDS = { choose: '--from ADDRESS', see: 'See "florin wallets".' }

/**
 * Whose money, where the caller has not said: the account's only wallet of that family, or any of a sandbox. Never a guess with real money.
 * `recipient` does not pay itself; of whom `mayPay` denies it nobody pays.
 * @throws CommandFailed that says what to do, in the words of `inWords`: those of a command where they are left out
 */
export async function choosePayer(
  florin: Florin,
  {
    family,
    recipient,
    mayPay = () => true,
    inWords = COMMAND_WORDS,
  }: {
    readonly family: Family
    readonly recipient?: string
    readonly mayPay?: (address: string) => boolean
    readonly inWords?: PayerWords
  },
  signal: AbortSignal,
): Promise<Wallet> {
  const all = await florin.wallets.list({ signal })
  const own = all.filter(
    ({ address, family: its }) =>
      its === family &&
      (recipient === undefined || !isSameAddress(address, recipient)) &&
      mayPay(address),
  )
  const [first, second] = own
  if (first === undefined) {
    throw new CommandFailed(`the account has no ${family} wallet to pay from. ${inWords.see}`)
  }
  if (second === undefined || own.every(({ sandbox }) => sandbox === true)) return first
  throw new CommandFailed(
    `say which of the ${own.length} ${family} wallets pays: ${inWords.choose}. ${inWords.see}`,
  )
}

/** Spelled alike but for the case, which on EVM is a checksum only. Of Solana's two that differ in case one is no address of the account. */
export function isSameAddress(left: string, right: string): boolean {
  return left.startsWith('0x') ? left.toLowerCase() === right.toLowerCase() : left === right
}
