import type { Address } from '../../chain.ts'
import type { TradeSide } from '../../venue.ts'
import type { Facts } from '../facts.ts'
import { inspectBytes } from '../inspect.ts'
import type { Mint } from '../mint.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  JUPITER_PROGRAM,
  MEMO_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../programs.ts'
import { readWireTransaction } from '../wire-transaction.ts'
import type { WireInstruction } from '../wire-transaction.ts'
import { readRoute } from './jupiter-route.ts'

/** Lamports as a token. */
export const WRAPPED_NATIVE = {
  address: NATIVE_MINT,
  program: TOKEN_PROGRAM,
}

/** The one thing that a router's transaction may be. */
export interface ExpectedRoute {
  readonly side: TradeSide
  readonly taker: Address
  readonly mint: Pick<Mint, 'address' | 'program'>
  readonly amountIn: bigint
  readonly minimumOut: bigint
  /** 64 lower-case hex digits. */
  readonly commitment: string
  /** What the network may take at most without rent; lamports. */
  readonly feeMax: bigint
}

export type CheckedRoute =
  | {
      readonly ok: true
      readonly blockhash: string
      /** Who gets what goes in: the taker's own account of wrapped lamports, or the program's. */
      readonly counterparty: Address
    }
  | { readonly ok: false; readonly problem: string }

const BASIS_POINTS = 10_000n
const [SYNC_NATIVE, CLOSE_ACCOUNT] = [17, 9]
const SYSTEM_TRANSFER = 2

/**
 * Reads what a router wants signed as an enemy's: every instruction must be one of those that such a swap is made of, with the taker's
 * own accounts and no other's, and the router's program must be told to take `amountIn` and to give no less than `minimumOut`. At its end
 * the wrapped account is gone, so that whatever is left of lamports is the wallet's own. Asks nobody. Source: the program's published
 * interface, `shared_accounts_route`.
 */
export function checkRoute(
  facts: Pick<Facts, 'tokenAccount'>,
  bytes: Uint8Array,
  expected: ExpectedRoute,
): CheckedRoute {
  const { taker, mint, side, amountIn } = expected
  const read = readWireTransaction(bytes)
  if (read === undefined) return no('it is no transaction')
  if (read.signers.length !== 1 || read.signers[0] !== taker) return no('others sign it')
  if (read.usesLookupTables) return no('its accounts are hidden')
  const inspected = inspectBytes({ facts }, bytes, [taker])
  if (!inspected.ok) return no(inspected.reason)
  if (inspected.feeMax > expected.feeMax) return no('its fee is higher than asked')
  const { commitments } = inspected.summary
  if (commitments.length !== 1 || commitments[0] !== expected.commitment) {
    return no('it does not carry the commitment')
  }
  const wrapped = facts.tokenAccount(taker, WRAPPED_NATIVE).address
  const own = { taker, wrapped, token: facts.tokenAccount(taker, mint).address, mint }
  const counts = { system: 0, router: 0, closed: 0 }
  for (const step of read.instructions) {
    const isAside = step.program === COMPUTE_BUDGET_PROGRAM || step.program === MEMO_PROGRAM
    if (counts.closed > 0 && !isAside) return no('it goes on after its end')
    switch (step.program) {
      // What they may be is in the fee and in the commitment; another memo or budget is not.
      case COMPUTE_BUDGET_PROGRAM:
      case MEMO_PROGRAM:
        break
      case SYSTEM_PROGRAM:
        counts.system += 1
        if (!isWrapping(step, own, amountIn)) return no('it moves other lamports')
        break
      case ASSOCIATED_TOKEN_PROGRAM:
        if (!isOwnAccount(step, own)) return no('it makes other accounts')
        break
      case TOKEN_PROGRAM:
        if (isClosing(step, own)) counts.closed += 1
        else if (!isSyncing(step, own)) return no('it does something else with tokens')
        break
      case JUPITER_PROGRAM: {
        counts.router += 1
        const problem = swapProblem(step, own, expected)
        if (problem !== undefined) return no(problem)
        break
      }
      default:
        return no('it calls another program')
    }
  }
  if (counts.router !== 1 || counts.system !== (side === 'buy' ? 1 : 0)) {
    return no('it is not one swap')
  }
  if (counts.closed !== 1) return no('it leaves lamports wrapped')
  const others = inspected.summary.others.filter(
    (what) => what.includes('memo') || what.includes('budget'),
  )
  if (others.length > 0) return no(others[0] ?? '')
  const [, authority = taker] =
    read.instructions.find(({ program }) => program === JUPITER_PROGRAM)?.accounts ?? []
  const counterparty = side === 'buy' ? wrapped : authority
  return { ok: true, blockhash: read.blockhash, counterparty }
}

function no(problem: string): CheckedRoute {
  return { ok: false, problem }
}

interface Own {
  readonly taker: Address
  readonly wrapped: Address
  readonly token: Address
  readonly mint: Pick<Mint, 'address' | 'program'>
}

function isWrapping({ accounts, data }: WireInstruction, own: Own, amountIn: bigint): boolean {
  const bytes = Buffer.from(data)
  return (
    bytes.length === 12 &&
    bytes.readUInt32LE(0) === SYSTEM_TRANSFER &&
    bytes.readBigUInt64LE(4) === amountIn &&
    isList(accounts, [own.taker, own.wrapped])
  )
}

function isOwnAccount({ accounts, data }: WireInstruction, own: Own): boolean {
  const { taker, wrapped, token, mint } = own
  const isPlain = data.length === 0 || (data.length === 1 && (data[0] ?? 2) <= 1)
  const made = [
    [taker, wrapped, taker, WRAPPED_NATIVE.address, SYSTEM_PROGRAM, TOKEN_PROGRAM],
    [taker, token, taker, mint.address, SYSTEM_PROGRAM, mint.program],
  ]
  return isPlain && made.some((each) => isList(accounts, each))
}

/** Lamports that were put into the account count. */
function isSyncing({ accounts, data }: WireInstruction, { wrapped }: Own): boolean {
  return data.length === 1 && data[0] === SYNC_NATIVE && isList(accounts, [wrapped])
}

/** All of it goes back to the taker. */
function isClosing({ accounts, data }: WireInstruction, { taker, wrapped }: Own): boolean {
  const isClose = data.length === 1 && data[0] === CLOSE_ACCOUNT
  return isClose && isList(accounts, [wrapped, taker, taker])
}

function isList(accounts: readonly Address[], wanted: readonly Address[]): boolean {
  return accounts.length === wanted.length && wanted.every((each, at) => accounts[at] === each)
}

function swapProblem(
  { accounts, data }: WireInstruction,
  { taker, wrapped, token, mint }: Own,
  { side, amountIn, minimumOut }: ExpectedRoute,
): string | undefined {
  const words = readRoute(data)
  if (words === undefined) return 'it swaps in a way not known here'
  const [from, to] = side === 'buy' ? [wrapped, token] : [token, wrapped]
  const mints = [WRAPPED_NATIVE.address, mint.address]
  const [into, outOf] = side === 'buy' ? mints : mints.toReversed()
  const [, , owner, source, , , destination, sourceMint, destinationMint] = accounts
  const isOurs =
    owner === taker &&
    source === from &&
    destination === to &&
    sourceMint === into &&
    destinationMint === outOf
  if (!isOurs) return 'it swaps for others'
  const named = accounts.filter((each) => each === taker || each === wrapped || each === token)
  if (named.length !== 3) return 'it hands on accounts of the taker'
  if (words.amountIn !== amountIn) return 'it takes another amount'
  const { quotedOut, slippageBasisPoints: slippage } = words
  if (slippage > BASIS_POINTS || words.platformFeeBasisPoints !== 0) return 'it keeps a fee'
  const least = (quotedOut * (BASIS_POINTS - slippage)) / BASIS_POINTS
  return least < minimumOut ? 'it may give less than the minimum' : undefined
}
