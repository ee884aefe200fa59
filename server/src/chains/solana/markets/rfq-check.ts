import type { Address } from '../../chain.ts'
import type { SummaryTransfer, TransactionSummary } from '../../self-custody.ts'
import type { TradeSide } from '../../venue.ts'
import type { Facts } from '../facts.ts'
import { inspectBytes } from '../inspect.ts'
import type { Mint } from '../mint.ts'
import { readWireTransaction } from '../wire-transaction.ts'
import type { WireTransaction } from '../wire-transaction.ts'
import { wireOf } from '../exact-read.ts'

/** The one thing that a maker's transaction may be. */
export interface ExpectedSwap {
  readonly side: TradeSide
  readonly taker: Address
  readonly maker: Address
  readonly mint: Pick<Mint, 'address' | 'program'>
  readonly amountIn: bigint
  readonly minimumOut: bigint
  /** 64 lower-case hex digits. */
  readonly commitment: string
  /** What the network may take at most without rent; lamports. */
  readonly feeMax: bigint
}

export type CheckedSwap =
  | {
      readonly ok: true
      /** With the taker's place left open. */
      readonly bytes: Uint8Array
      readonly amountOut: bigint
      readonly blockhash: string
      readonly summary: TransactionSummary
    }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads what a maker wants signed as an enemy's: the taker pays exactly `amountIn` and gets at least `minimumOut`, pays the fee, may make
 * its own token account, and nothing else happens in it or could be hidden in it. Asks nobody; whether its blockhash lives is for a node
 * to say.
 */
export function checkSwap(
  facts: Pick<Facts, 'tokenAccount'>,
  transaction: Uint8Array,
  expected: ExpectedSwap,
): CheckedSwap {
  const { side, taker, maker, mint } = expected
  const read = readWireTransaction(transaction)
  if (read === undefined) return no('it is no transaction')
  const [first, second, ...others] = read.signers
  if (first !== taker) return no('the taker does not pay its fee')
  if (second !== maker || others.length > 0) return no('others than taker and maker sign it')
  if (isEmpty(read, 1)) return no('the maker has not signed it')
  // What stands in the taker's place is nobody's word.
  const bytes = new Uint8Array(wireOf(read))
  const inspected = inspectBytes({ facts }, bytes, [taker, maker])
  if (!inspected.ok) return no(inspected.reason)
  const { summary, feeMax } = inspected
  if (summary.others.length > 0) return no(summary.others[0] ?? 'it does something else')
  if (feeMax > expected.feeMax) return no('its fee is higher than asked')
  if (summary.commitments.length !== 1 || summary.commitments[0] !== expected.commitment) {
    return no('it does not carry the commitment')
  }
  const own = facts.tokenAccount(taker, mint).address
  const made = summary.createsAccounts
  const isOwn = made.every(
    ({ account, owner, asset }) => account === own && owner === taker && asset === mint.address,
  )
  if (made.length > (side === 'buy' ? 1 : 0) || !isOwn) return no('it makes other accounts')
  // A summary names the owner where it knows one, so the account itself is looked at, too.
  const arriving = facts.tokenAccount(side === 'buy' ? taker : maker, mint).address
  const moves = read.instructions.filter(({ program }) => program === mint.program)
  if (moves.some(({ accounts }) => accounts[2] !== arriving)) {
    return no('its tokens go to another account')
  }
  const amountOut = swapped(summary.transfers, expected)
  if (amountOut === undefined) return no('its transfers are not the two that were agreed on')
  if (amountOut < expected.minimumOut) return no('it gives less than the minimum')
  return { ok: true, bytes, amountOut, blockhash: read.blockhash, summary }
}

function no(problem: string): CheckedSwap {
  return { ok: false, problem }
}

function isEmpty({ signatures }: WireTransaction, index: number): boolean {
  return signatures[index]?.every((byte) => byte === 0) !== false
}

/** What comes back; undefined unless exactly one transfer goes each way and nothing goes anywhere else. */
function swapped(transfers: readonly SummaryTransfer[], expected: ExpectedSwap) {
  const { side, taker, maker, mint, amountIn } = expected
  const assets = side === 'buy' ? ['native', mint.address] : [mint.address, 'native']
  const [given, gotten] = assets
  const going = transfers.filter(
    ({ asset, from, to, amount }) =>
      asset === given && from === taker && to === maker && amount === amountIn,
  )
  const coming = transfers.filter(
    ({ asset, from, to }) => asset === gotten && from === maker && to === taker,
  )
  const isPair = transfers.length === 2 && going.length === 1 && coming.length === 1
  return isPair ? coming[0]?.amount : undefined
}
