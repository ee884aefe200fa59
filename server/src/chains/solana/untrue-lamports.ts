import type { Address } from '../chain.ts'
import { listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { integerFrom } from './answer.ts'
import { readBase58 } from './base58.ts'
import { lamportTransfer } from './instructions.ts'
import type { Called } from './instructions.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { holdingsOf, keepsTokenBalances, movesOf } from './token-transfers.ts'
import { isExactMove, MAKES_ACCOUNT } from './untrue-moves.ts'

const DATA_BYTES_MAX = 256
/** `AdvanceNonceAccount`, which moves nothing. Source: System program, `SystemInstruction`. */
const ADVANCE_NONCE = 4

/**
 * Whether the lamports around a transaction that succeeded are not those that its instructions and its fee left behind. Whatever ran, none are made
 * or lost but for the fee; where a program that is not known here, or another instruction of a known one, may have moved them, nothing else is said.
 * Nor is it of whoever pays for a token account that is made, and of that account: rent may lie there already. No rent is taken any more of an
 * account that is there (SIMD-0084).
 */
export function areLamportsUntrue(
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): boolean {
  const [payer] = accounts
  const fee = integerFrom(meta['fee'], 'fee')
  const gained = gainedBy(meta)
  if (gained.reduce((sum, each) => sum + each, fee) !== 0n) return true
  if (payer === undefined || !called.every(isExact)) return false
  const more = new Map<Address, bigint>()
  const move = (from: Address, to: Address, lamports: bigint): void => {
    more.set(from, (more.get(from) ?? 0n) - lamports)
    more.set(to, (more.get(to) ?? 0n) + lamports)
  }
  for (const { from, to, lamports } of called.flatMap(lamportTransfer)) move(from, to, lamports)
  const holdings = holdingsOf(meta, accounts)
  for (const { from, to, declared } of called.flatMap(movesOf)) {
    const mint = (holdings.get(from) ?? holdings.get(to))?.mint
    if (mint === undefined) return false
    if (mint === NATIVE_MINT) move(from, to, declared)
  }
  more.set(payer, (more.get(payer) ?? 0n) - fee)
  const made = called.filter(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM)
  const untold = new Set(made.flatMap((each) => each.accounts.slice(0, 2)))
  return accounts.some(
    (account, at) => !untold.has(account) && gained[at] !== (more.get(account) ?? 0n),
  )
}

/**
 * Whether the balances around a transaction that failed say that it did something: whatever it called, the first of its accounts lost the fee, and
 * nothing else changed.
 */
export function isFailureUntrue(meta: Fields, accounts: readonly Address[]): boolean {
  const fee = integerFrom(meta['fee'], 'fee')
  const isPaid = gainedBy(meta).every((gained, at) => gained === (at === 0 ? -fee : 0n))
  const holdings = keepsTokenBalances(meta) ? [...holdingsOf(meta, accounts).values()] : []
  return !isPaid || holdings.some(({ before, after }) => before !== after)
}

/** What each account has more than before, in lamports, in the order of the balances. Throws NodeFailure when these are malformed. */
export function gainedBy(meta: Fields): readonly bigint[] {
  const [before = [], after = []] = ['preBalances', 'postBalances'].map((which) =>
    listFrom(meta[which], which).map((balance) => integerFrom(balance, which)),
  )
  return after.map((lamports, at) => lamports - (before[at] ?? 0n))
}

function isExact(called: Called): boolean {
  switch (called.program) {
    case COMPUTE_BUDGET_PROGRAM:
    case MEMO_PROGRAM:
      return true
    case SYSTEM_PROGRAM:
      return lamportTransfer(called).length > 0 || advancesNonce(called)
    case TOKEN_PROGRAM:
      return isExactMove(called)
    case ASSOCIATED_TOKEN_PROGRAM:
      return MAKES_ACCOUNT.has(called.data)
    default:
      return false
  }
}

function advancesNonce({ data }: Called): boolean {
  const bytes = readBase58(data, DATA_BYTES_MAX)
  return (
    bytes !== undefined && bytes.length >= 4 && Buffer.from(bytes).readUInt32LE() === ADVANCE_NONCE
  )
}
