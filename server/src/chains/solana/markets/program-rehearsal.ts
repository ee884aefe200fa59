import type { Address } from '../../chain.ts'
import { NotCarried } from '../../venue.ts'
import type { SwapOrder } from '../../venue.ts'
import type { Account } from '../accounts.ts'
import type { DraftDeps } from '../draft.ts'
import { simulateAccounts, tokenOf } from '../preview.ts'
import type { SimulatedAccount } from '../preview.ts'
import { SYSTEM_PROGRAM } from '../programs.ts'

/** Where a token account says who else may move its tokens, how many, and who may close it. An option is there when its first four bytes are not 0. */
const DELEGATE = [72, 108] as const
const DELEGATED = [121, 129] as const
const CLOSE_AUTHORITY = [129, 165] as const

/**
 * Simulates a module's trade, and throws NotCarried where it would not do to the wallet's balances what was agreed on. Rent that nobody told
 * of counts as a loss: a program that asks for more than it said is not paid. Nor may the trade give anybody a hold on what is the wallet's.
 */
export async function rehearse(
  deps: DraftDeps,
  bytes: Uint8Array,
  { wallet, quote, minimumOut }: SwapOrder,
  accountRent: bigint,
): Promise<void> {
  const { outcome, accounts } = await simulateAccounts(deps, bytes)
  if (!('succeeds' in outcome) || !outcome.succeeds) {
    const why = 'succeeds' in outcome ? outcome.error : outcome.reason
    throw new NotCarried(`a trade of ${quote.venue} would fail: ${why}`)
  }
  const { side, amountIn, token } = quote
  const own = outcome.changes.filter(({ address }) => address === wallet)
  const change = (asset: string): bigint =>
    own.filter((each) => each.asset === asset).reduce((sum, { delta }) => sum + delta, 0n)
  // The network's fee is not in it.
  const [native, moved] = [change('native'), change(token.mint)]
  const isRight =
    side === 'buy'
      ? native >= -(amountIn + accountRent) && moved >= minimumOut
      : native >= minimumOut - accountRent && moved === -amountIn
  const known: readonly string[] = ['native', token.mint]
  const isElsewhere = own.some(({ asset, delta }) => delta < 0n && !known.includes(asset))
  if (!isRight || isElsewhere) {
    throw new NotCarried(`a trade of ${quote.venue} would do something else`)
  }
  if (!accounts.every((each) => staysOf(wallet, each))) {
    throw new NotCarried(`a trade of ${quote.venue} would hand an account of the wallet to others`)
  }
}

/** Whether an account that is the wallet's, before or after, is its own alone as far as it was before. */
function staysOf(wallet: Address, { address, before, after }: SimulatedAccount): boolean {
  if (address === wallet) return after?.owner === SYSTEM_PROGRAM && after.space === 0n
  const [then, now] = [tokenOf(before), tokenOf(after)]
  if (then?.owner !== wallet && now?.owner !== wallet) return true
  if (now?.owner !== wallet) return false
  const isSame = (part: readonly [number, number]) =>
    before !== undefined && partOf(before, part).equals(partOf(after, part))
  return (
    (!isThere(after, DELEGATE) || (isSame(DELEGATE) && isSame(DELEGATED))) &&
    (!isThere(after, CLOSE_AUTHORITY) || isSame(CLOSE_AUTHORITY))
  )
}

function isThere(account: Account | undefined, part: readonly [number, number]): boolean {
  return partOf(account, part).readUInt32LE(0) !== 0
}

function partOf(account: Account | undefined, [from, to]: readonly [number, number]): Buffer {
  return Buffer.from(account?.data ?? []).subarray(from, to)
}
