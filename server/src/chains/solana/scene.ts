import type { Address, Draft, TransferOrder } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { accountsRead } from './accounts.ts'
import type { Account } from './accounts.ts'
import type { Facts } from './facts.ts'
import type { Mint } from './mint.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import type { Recipient } from './recipient.ts'
import { readTokenAccount } from './token-account.ts'
import type { TokenAccount } from './token-account.ts'
import type { TokenRoute } from './transfer.ts'

/** The accounts of a transfer as they are, all at one slot. */
export interface Scene {
  readonly recipient: Recipient
  readonly route: Omit<TokenRoute, 'createsAccount'> | undefined
  /** Candidates for the recipient's token account up to the right one. */
  readonly accountTries: number
  /** Nothing here makes the transfer differ from others of its shape, so what is known of one holds for this one. */
  readonly isOrdinary: boolean
  readonly slot: bigint
  /** What the sender can spend, given the least that an account without data must keep. */
  balances(rentMinimum: bigint): Pick<Draft['balances'], 'native' | 'asset'>
}

/** Reads the accounts of a transfer in one call. */
export async function readScene(
  transport: Transport,
  facts: Facts,
  { sender, recipient }: TransferOrder,
  mint: Mint | undefined,
): Promise<Scene> {
  const from = mint && facts.tokenAccount(sender, mint).address
  const to = mint && facts.tokenAccount(recipient, mint)
  const tokenAddresses = from === undefined || to === undefined ? [] : [from, to.address]
  const { slot, accounts } = await transport.read(
    accountsRead([sender, recipient, ...tokenAddresses]),
  )
  const [senderAccount, account, fromAccount, toAccount] = accounts
  const lamports = senderAccount?.lamports ?? 0n
  const held = mint === undefined ? undefined : spendable(fromAccount, mint, sender)
  const tokenAccount = isEmptyAddress(toAccount) ? undefined : toAccount
  return {
    slot,
    recipient: { address: recipient, account, tokenAccount },
    route:
      mint === undefined || from === undefined || to === undefined
        ? undefined
        : {
            mint: mint.address,
            program: mint.program,
            decimals: mint.decimals,
            from,
            to: to.address,
          },
    accountTries: to?.tries ?? 0,
    isOrdinary: mint === undefined || isOrdinary(mint, toAccount),
    balances: (rentMinimum) => {
      const native = lamports > rentMinimum ? lamports - rentMinimum : 0n
      return { native, asset: held ?? native }
    },
  }
}

/** Lamports that somebody sent ahead: the token account is still to be made, and making it goes another way. */
function isEmptyAddress(account: Account | undefined): boolean {
  return account?.owner === SYSTEM_PROGRAM && account.space === 0n
}

/** An account with more than a new one has may ask for things: a memo before each transfer, for one. */
function isOrdinary(mint: Mint, account: Account | undefined): boolean {
  if (mint.mayRefuse) return false
  return account === undefined || account.space === BigInt(mint.accountBytes)
}

/** What a wallet's own token account gives away; one that is frozen, or not the wallet's any more, gives nothing. */
export function spendable(account: Account | undefined, mint: Mint, owner: Address): bigint {
  const held = ownAccount(account, mint, owner)
  return held === undefined || held.isFrozen ? 0n : held.amount
}

/** What a wallet's own token account holds, frozen or not. */
export function owned(account: Account | undefined, mint: Mint, owner: Address): bigint {
  return ownAccount(account, mint, owner)?.amount ?? 0n
}

function ownAccount(
  account: Account | undefined,
  mint: Mint,
  owner: Address,
): TokenAccount | undefined {
  if (account === undefined || account.owner !== mint.program) return undefined
  const held = readTokenAccount(account.data)
  return held?.mint === mint.address && held.owner === owner ? held : undefined
}
