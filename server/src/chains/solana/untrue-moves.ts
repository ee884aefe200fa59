import type { Address } from '../chain.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { readBase58 } from './base58.ts'
import type { Called } from './instructions.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts'
import { holdingsOf, movesOf } from './token-transfers.ts'

/** None of these changes what a token account holds, but for SPL Token, which keeps no part of what it moves. */
const EXACT: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  LIGHTHOUSE_PROGRAM,
  TOKEN_PROGRAM,
])
const DATA_BYTES_MAX = 256
const BATCH = 255

/**
 * Whether the balances around a transaction that succeeded are not those that its instructions left behind, though nothing else could have
 * changed them: then the node has lost some of either, and what it moved is not known. False where a program that is not known here, or another
 * instruction of a token program, may have changed them, too.
 */
export function areMovesUntrue(
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): boolean {
  if (!called.every(isExact)) return false
  const more = new Map<Address, bigint>()
  for (const { from, to, declared } of called.flatMap(movesOf)) {
    more.set(from, (more.get(from) ?? 0n) - declared)
    more.set(to, (more.get(to) ?? 0n) + declared)
  }
  const holdings = holdingsOf(meta, accounts)
  const makes = called.some(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM)
  return [...new Set([...more.keys(), ...holdings.keys()])].some((account) => {
    const { before, after, mint } = holdings.get(account) ?? NOTHING
    // Whatever lamports lie where an account of wrapped ones is made are its tokens from then on.
    if (makes && mint === NATIVE_MINT) return false
    return after - before !== (more.get(account) ?? 0n)
  })
}

const NOTHING = { before: 0n, after: 0n, mint: undefined }

/** Making an account, in base58; the program also moves what a nested one holds. Source: Associated Token Account program. */
export const MAKES_ACCOUNT: ReadonlySet<string> = new Set(['', '1', '2'])

function isExact(called: Called): boolean {
  if (called.program === ASSOCIATED_TOKEN_PROGRAM) return MAKES_ACCOUNT.has(called.data)
  if (called.program !== TOKEN_PROGRAM) return EXACT.has(called.program)
  return isExactMove(called)
}

/** Whether an instruction of a token program moves tokens and does nothing else. A batch may hold anything beside its moves. */
export function isExactMove(called: Called): boolean {
  const isBatch = readBase58(called.data, DATA_BYTES_MAX)?.[0] === BATCH
  return !isBatch && movesOf(called).length > 0
}
