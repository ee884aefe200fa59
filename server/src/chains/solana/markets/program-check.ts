import type { Address } from '../../chain.ts'
import type { TradeSide } from '../../venue.ts'
import type { Facts } from '../facts.ts'
import { inspectBytes } from '../inspect.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
} from '../programs.ts'
import type { ModuleMint, OpenedModule, ProgramTrade } from '../venue-module.ts'
import { readWireTransaction } from '../wire-transaction.ts'
import type { WireInstruction } from '../wire-transaction.ts'

/** The one thing that a module's transaction may be. */
export interface ExpectedTrade {
  readonly side: TradeSide
  readonly wallet: Address
  readonly mint: ModuleMint
  readonly amountIn: bigint
  readonly minimumOut: bigint
  /** 64 lower-case hex digits. */
  readonly commitment: string
  /** What the network may take at most without rent; lamports. */
  readonly feeMax: bigint
}

export type CheckedTrade =
  | { readonly ok: true; readonly trade: ProgramTrade }
  | { readonly ok: false; readonly problem: string }

/**
 * Reads a transaction that was built around a module's instruction from its bytes, as if somebody else had made it: the wallet alone signs,
 * it may make its own token account in a buy, the module's program is called once, for exactly this trade, and nothing else happens in it.
 */
export function checkTrade(
  facts: Pick<Facts, 'tokenAccount'>,
  { program, venue }: OpenedModule,
  bytes: Uint8Array,
  expected: ExpectedTrade,
): CheckedTrade {
  const { side, wallet, mint } = expected
  const read = readWireTransaction(bytes)
  if (read === undefined) return no('it is no transaction')
  if (read.signers.length !== 1 || read.signers[0] !== wallet) return no('others sign it')
  if (read.usesLookupTables) return no('its accounts are hidden')
  const inspected = inspectBytes({ facts }, bytes, [wallet])
  if (!inspected.ok) return no(inspected.reason)
  if (inspected.feeMax > expected.feeMax) return no('its fee is higher than asked')
  const { commitments, others } = inspected.summary
  if (commitments.length !== 1 || commitments[0] !== expected.commitment) {
    return no('it does not carry the commitment')
  }
  if (others.length > 1) return no(others.at(-1) ?? 'it does something else')
  const trades: ProgramTrade[] = []
  for (const step of read.instructions) {
    switch (step.program) {
      // What they may be is in the fee and in the commitment; another memo or budget is among the others.
      case COMPUTE_BUDGET_PROGRAM:
      case MEMO_PROGRAM:
        break
      case ASSOCIATED_TOKEN_PROGRAM:
        if (side === 'sell' || !isOwnAccount(step, wallet, mint, facts)) {
          return no('it makes other accounts')
        }
        break
      case program: {
        const trade = step.data.length === venue.dataBytes ? venue.read(step) : undefined
        if (trade === undefined) return no('it trades in a way not known here')
        trades.push(trade)
        break
      }
      default:
        return no('it calls another program')
    }
  }
  const [trade, second] = trades
  if (trade === undefined || second !== undefined) return no('it is not one trade')
  const problem = tradeProblem(trade, expected)
  return problem === undefined ? { ok: true, trade } : no(problem)
}

function no(problem: string): CheckedTrade {
  return { ok: false, problem }
}

function isOwnAccount(
  { accounts, data }: WireInstruction,
  wallet: Address,
  mint: ModuleMint,
  facts: Pick<Facts, 'tokenAccount'>,
): boolean {
  const account = facts.tokenAccount(wallet, mint).address
  const wanted = [wallet, account, wallet, mint.address, SYSTEM_PROGRAM, mint.program]
  return (
    data.length === 1 &&
    data[0] === 1 &&
    accounts.length === wanted.length &&
    wanted.every((each, at) => accounts[at] === each)
  )
}

function tradeProblem(trade: ProgramTrade, expected: ExpectedTrade): string | undefined {
  const { side, wallet, mint, amountIn, minimumOut } = expected
  if (trade.side !== side || trade.mint !== mint.address) return 'it trades something else'
  if (trade.wallet !== wallet) return 'it trades for others'
  if (trade.amountIn !== amountIn) return 'it takes another amount'
  return trade.minimumOut < minimumOut ? 'it may give less than the minimum' : undefined
}
