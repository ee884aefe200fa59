import { baseUnits } from '@florin/wire/amount.ts'
import type { Address } from '../chain.ts'
import { listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { SightedTransfer } from '../self-custody.ts'
import { NotCarried } from '../venue.ts'
import { integerFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import type { Called } from './instructions.ts'
import { SYSTEM_PROGRAM } from './programs.ts'
import type { OpenedModule, ProgramTrade } from './venue-module.ts'

/** A trade with the place of its instruction. */
export interface CalledTrade extends ProgramTrade {
  readonly index: number
}

/** What the chain shows around a trade. */
interface Around {
  readonly fee: bigint
  /** What the fee payer has more than before; less than nothing where it has less. */
  readonly gained: bigint
  readonly meta: Fields
  readonly accounts: readonly Address[]
}

const CREATE_ACCOUNT = 0
const CREATE_BYTES = 52
const LAMPORTS_AT = 4

/**
 * The one trade among signed instructions by the program of a module; undefined where there is none. Unknown where such programs are called
 * more than once, whatever the calls are, and where the module cannot say.
 */
export function tradeIn(
  called: readonly Called[],
  modules: readonly OpenedModule[],
): CalledTrade | 'unknown' | undefined {
  const [call, second] = called.flatMap((each) =>
    modules.flatMap(({ program, venue }) => (program === each.program ? [{ each, venue }] : [])),
  )
  if (call === undefined) return undefined
  if (second !== undefined) return 'unknown'
  const { each, venue } = call
  const { index, program, accounts } = each
  const data = decodeBase58(each.data, venue.dataBytes)
  try {
    const trade = data && venue.read({ program, accounts, data })
    return trade && { ...trade, index }
  } catch (error) {
    if (error instanceof NotCarried) return 'unknown'
    throw error
  }
}

/**
 * What a trade cost its wallet beside what went in: the network's fee, and rent. A buy says itself what goes in, so the rest of what is gone
 * is its cost. What comes out of a sale is paid without an instruction, so the rent is that of the accounts that it made. Never less than the fee.
 */
export function costOfTrade(
  trade: CalledTrade,
  { fee, gained, meta, accounts }: Around,
  called: readonly Called[],
): bigint {
  const [payer] = accounts
  if (trade.wallet !== payer) return fee
  if (trade.side === 'sell') return fee + rentMade(payer, meta, accounts, called)
  const cost = -gained - trade.amountIn
  return cost > fee ? cost : fee
}

/** Lamports that an account put into new accounts which are still there. Source: System program, `CreateAccount`. */
function rentMade(
  payer: Address,
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): bigint {
  const after = listFrom(meta['postBalances'], 'postBalances')
  return called.reduce((sum, { program, accounts: [from, made], data }) => {
    const bytes = program === SYSTEM_PROGRAM ? decodeBase58(data, CREATE_BYTES) : undefined
    if (bytes === undefined || from !== payer || made === undefined) return sum
    const view = Buffer.from(bytes)
    if (view.readUInt32LE(0) !== CREATE_ACCOUNT) return sum
    const isThere = integerFrom(after[accounts.indexOf(made)], 'postBalances') > 0n
    return isThere ? sum + view.readBigUInt64LE(LAMPORTS_AT) : sum
  }, 0n)
}

/**
 * The lamports of a buy as its signed instruction has them. The program hands them on in parts, none of which is what was agreed on; together
 * with its success, the instruction is.
 */
export function lamportsOffered(trade: CalledTrade | undefined): readonly SightedTransfer[] {
  if (trade?.side !== 'buy') return []
  const { wallet, counterparty, amountIn, index } = trade
  return [
    {
      asset: 'native',
      from: wallet,
      to: counterparty,
      amount: baseUnits(amountIn),
      effectIndex: index,
    },
  ]
}
