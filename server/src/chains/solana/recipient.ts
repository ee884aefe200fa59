import type { Address, DraftRefusal } from '../chain.ts'
import type { Account } from './accounts.ts'
import { addressBytes } from './account.ts'
import { isOnCurve } from './ed25519-point.ts'
import type { Mint } from './mint.ts'
import { OWNERS_OF_NO_WALLET } from './programs.ts'
import { rentFor } from './rent.ts'
import { readTokenAccount } from './token-account.ts'

/** What the chain has of a recipient. */
export interface Recipient {
  readonly address: Address
  readonly account: Account | undefined
  /** For a token: the recipient's own account for it, as it is. */
  readonly tokenAccount: Account | undefined
}

/** Why a recipient cannot be paid, from what its accounts show; undefined when nothing speaks against it. */
export function recipientRefusal(
  recipient: Recipient,
  amount: bigint,
  mint: Mint | undefined,
  rentMinimum: bigint,
): DraftRefusal | undefined {
  const { address, account, tokenAccount } = recipient
  if (account === undefined && !isOnCurve(addressBytes(address))) return 'recipient_is_no_wallet'
  if (account !== undefined && (account.isExecutable || OWNERS_OF_NO_WALLET.has(account.owner))) {
    return 'recipient_is_no_wallet'
  }
  if (mint === undefined) {
    const balance = (account?.lamports ?? 0n) + amount
    return balance < rentFor(account?.space ?? 0n, rentMinimum) ? 'amount_below_rent' : undefined
  }
  // The amount that arrives must be the amount that was asked for.
  if (mint.feeOf(amount) > 0n) return 'recipient_refuses'
  return tokenAccount === undefined || takes(tokenAccount, mint, address)
    ? undefined
    : 'recipient_refuses'
}

/** A token account's owner can be changed to somebody else, who would then get the money. */
function takes({ owner, data }: Account, mint: Mint, recipient: Address): boolean {
  // Lamports alone make an account too, before its token account exists.
  const account = readTokenAccount(data)
  if (owner !== mint.program || account === undefined) return false
  return account.mint === mint.address && account.owner === recipient && !account.isFrozen
}
