import type { ExactAuthorization } from '../exact.ts'
import { knownAddress } from './account.ts'
import type { AccountPool } from './account-pool.ts'
import type { Account } from './accounts.ts'
import type { Facts } from './facts.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from './token-account.ts'
import type { TokenAccount } from './token-account.ts'

/** Units beyond what such a transfer was seen to take: a tenth. A limit with less room is simulated. */
const ROOM = { of: 11n, to: 10n }

export interface AccountsDeps {
  readonly facts: Facts
  readonly accounts: AccountPool
}

/**
 * Whether accounts alone show that a payment would pass now: both token accounts in use and fit, the money there, the payer an ordinary
 * key, the fee at hand, the blockhash taken, and room for what such a transfer was seen to take. False says nothing: its simulation does.
 * That it has been settled already no account shows. Throws NodeFailure.
 */
export async function standsByAccounts(
  { facts, accounts }: AccountsDeps,
  { plain, payer, feePayer, amount, asset, stored, payTo }: ExactAuthorization,
): Promise<boolean> {
  if (plain === undefined || feePayer === null) return false
  const units = facts.unitsOf(plain.shape)
  if (units === undefined || plain.unitsMax * ROOM.to < units * ROOM.of) return false
  const [mint, rent, isLive, [source, destination, owner, purse]] = await Promise.all([
    facts.mint(knownAddress(asset.asset)),
    facts.rentMinimum(),
    facts.isBlockhashLive(plain.blockhash),
    accounts.read([plain.source, plain.destination, payer, feePayer]),
  ])
  const from = tokenAccountOf(source)
  const to = tokenAccountOf(destination)
  const fee = BigInt(stored['fee'] ?? '')
  return (
    isLive &&
    mint.program === TOKEN_PROGRAM &&
    mint.decimals === asset.decimals &&
    isFit(from, mint.address) &&
    from.owner === payer &&
    // Whoever is named as delegate moves as one, the owner too, and no more than was approved.
    from.delegate !== payer &&
    from.amount >= amount &&
    isFit(to, mint.address) &&
    to.owner === payTo &&
    // An account of a multisignature wants other signatures than its own.
    owner?.owner !== TOKEN_PROGRAM &&
    purse?.owner === SYSTEM_PROGRAM &&
    purse.space === 0n &&
    purse.lamports >= fee + rent
  )
}

function tokenAccountOf(account: Account | undefined): TokenAccount | undefined {
  return account?.owner === TOKEN_PROGRAM && account.space === BigInt(TOKEN_ACCOUNT_BYTES)
    ? readTokenAccount(account.data)
    : undefined
}

function isFit(account: TokenAccount | undefined, mint: string): account is TokenAccount {
  return account !== undefined && !account.isFrozen && account.mint === mint
}
