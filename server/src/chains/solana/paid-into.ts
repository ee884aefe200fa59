import type { Address } from '../chain.ts'
import { associatedAccount } from './token-account.ts'
import type { Holding } from './token-transfers.ts'

/**
 * Whether what a program moves to a token account is paid to the account's owner: only in the owner's associated account is it looked for,
 * and can be spent. A program may let the money go on and then make somebody else the owner, so an account that changed hands is none.
 */
export function isPaidInto(account: Address, holding: Holding, tokenProgram: Address): boolean {
  const { owner, mint } = holding
  if (ownerBefore(holding) !== owner) return false
  return associatedAccount(owner, tokenProgram, mint).address === account
}

/** Whose a token account was when the transaction began; of one that was made by it, whose it is. */
export function ownerBefore({ owner, firstOwner }: Holding): Address {
  return firstOwner ?? owner
}
