import type { PlainTransfer } from '../exact.ts'
import type { ExactTransfer } from './exact-layout.ts'
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, NATIVE_MINT, TOKEN_PROGRAM } from './programs.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** Letters, digits and signs of which each costs the memo program the same; text with others it writes out in longer ways. */
const PLAIN_TEXT = /^[\w :;,.+/=@#-]*$/

/**
 * A payment of which its accounts tell whether it would pass, so that nobody has to simulate it: one transfer by the SPL Token program
 * between accounts that the transaction may write, at most one memo of plain text, and nothing else in it. Undefined for every other.
 */
export function plainTransfer(
  transaction: WireTransaction,
  transfer: ExactTransfer,
): PlainTransfer | undefined {
  const { accounts, writers, instructions, blockhash } = transaction
  const { authority, source, destination, mint, tokenProgram, unitsMax, memos } = transfer
  const [, , , ...others] = instructions
  const [memo] = memos
  const text = memo === undefined ? '' : Buffer.from(memo).toString('latin1')
  const named = [accounts[0], authority, source, destination, mint, tokenProgram]
  const expected = named.length + 1 + (memo === undefined ? 0 : 1)
  const mayWrite = new Set([accounts[0], authority, source, destination])
  const isPlain =
    tokenProgram === TOKEN_PROGRAM &&
    // An account of wrapped lamports moves these, too.
    mint !== NATIVE_MINT &&
    memos.length <= 1 &&
    others.every((each) => each.program === MEMO_PROGRAM && each.accounts.length === 0) &&
    PLAIN_TEXT.test(text) &&
    // Whatever else it loads could be too large to load.
    new Set([...named, COMPUTE_BUDGET_PROGRAM]).size === named.length + 1 &&
    accounts.length === expected &&
    writers.includes(source) &&
    writers.includes(destination) &&
    writers.every((writer) => mayWrite.has(writer))
  if (!isPlain) return undefined
  const shape = `payment ${mint} ${memo === undefined ? 'bare' : text.length}`
  return { source, destination, blockhash, unitsMax, shape }
}
