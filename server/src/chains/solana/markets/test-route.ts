import { createHash } from 'node:crypto'
import type { Address } from '../../chain.ts'
import type { TradeSide } from '../../venue.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../programs.ts'
import { limit, newKey, price } from '../test-payment.ts'
import type { Step } from '../test-payment.ts'
import { associatedAccount } from '../token-account.ts'
import { WRAPPED_NATIVE } from './jupiter-check.ts'

/** What a router swaps for somebody. */
export interface TestRoute {
  readonly side: TradeSide
  readonly taker: Address
  readonly mint: Address
  readonly amountIn: bigint
  readonly quotedOut: bigint
  readonly slippage: number
  /** The way through the markets: a count and its steps. Left out, one step. */
  readonly plan?: Uint8Array
}

/** Whole input of the first account to the second, by a market of kind 38, which says no more of itself. */
const ONE_STEP = Uint8Array.of(1, 0, 0, 0, 38, 100, 0, 1)
export const AUTHORITY = newKey().address
const [PROGRAMS_FROM, PROGRAMS_TO, MARKET] = [newKey(), newKey(), newKey()].map(
  (key) => key.address,
)
const accountOf = (owner: Address, mint: Address): Address =>
  associatedAccount(owner, TOKEN_PROGRAM, mint).address

/** The one instruction that swaps, at the layout that the program publishes. */
export function swapStep(route: TestRoute): Step {
  const { side, taker, mint, amountIn, quotedOut, slippage, plan = ONE_STEP } = route
  const [from, to] =
    side === 'buy' ? [WRAPPED_NATIVE.address, mint] : [mint, WRAPPED_NATIVE.address]
  const tail = Buffer.alloc(19)
  tail.writeBigUInt64LE(amountIn, 0)
  tail.writeBigUInt64LE(quotedOut, 8)
  tail.writeUInt16LE(slippage, 16)
  const name = createHash('sha256').update('global:shared_accounts_route').digest()
  const place = (address: Address | undefined, writes = true) => ({
    address: address ?? taker,
    writes,
  })
  return {
    program: JUPITER_PROGRAM,
    accounts: [
      place(TOKEN_PROGRAM, false),
      place(AUTHORITY, false),
      { address: taker, signs: true },
      place(accountOf(taker, from)),
      place(PROGRAMS_FROM),
      place(PROGRAMS_TO),
      place(accountOf(taker, to)),
      place(from, false),
      place(to, false),
      place(MARKET),
    ],
    // Behind the name the program's own number of its accounts.
    data: Buffer.concat([name.subarray(0, 8), Uint8Array.of(1), plan, tail]),
  }
}

/** All that a router's transaction does: the wrapped account comes, is filled or emptied, and goes. */
export function routeSteps(route: TestRoute): readonly Step[] {
  const { side, taker, mint, amountIn } = route
  const wrapped = accountOf(taker, WRAPPED_NATIVE.address)
  const make = (of: Address): Step => ({
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: taker, signs: true, writes: true },
      { address: accountOf(taker, of), writes: true },
      { address: taker },
      { address: of },
      { address: SYSTEM_PROGRAM },
      { address: TOKEN_PROGRAM },
    ],
    data: Uint8Array.of(1),
  })
  const lamports = Buffer.alloc(12)
  lamports.writeUInt32LE(2)
  lamports.writeBigUInt64LE(amountIn, 4)
  const fill: readonly Step[] = [
    {
      program: SYSTEM_PROGRAM,
      accounts: [
        { address: taker, signs: true, writes: true },
        { address: wrapped, writes: true },
      ],
      data: lamports,
    },
    {
      program: TOKEN_PROGRAM,
      accounts: [{ address: wrapped, writes: true }],
      data: Uint8Array.of(17),
    },
  ]
  const close: Step = {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: wrapped, writes: true },
      { address: taker, writes: true },
      { address: taker, signs: true },
    ],
    data: Uint8Array.of(9),
  }
  return [
    limit(200_000),
    price(1_000n),
    make(WRAPPED_NATIVE.address),
    ...(side === 'buy' ? [...fill, make(mint)] : []),
    swapStep(route),
    close,
  ]
}
