import { baseUnits } from '@florin/wire/amount.ts'
import type { Address } from '../chain.ts'
import { listFrom } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { SightedTransfer } from '../self-custody.ts'
import { NotCarried } from '../venue.ts'
import { integerFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import { INNER_STEP, lamportTransfer } from './instructions.ts'
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
  /** What the fee payer has more than before, what it signed beside the trade apart; less than nothing where it has less. */
  readonly gained: bigint
  readonly meta: Fields
  readonly accounts: readonly Address[]
}

const CREATE_ACCOUNT = 0
const CREATE_BYTES = 52
const LAMPORTS_AT = 4
const ALLOCATE = 8
const ALLOCATE_BYTES = 12

/**
 * The one trade among signed instructions by the program of a module; undefined where there is none. Several where such programs are called
 * more than once, whatever the calls are; unknown where the module cannot say.
 */
export function tradeIn(
  called: readonly Called[],
  modules: readonly OpenedModule[],
): CalledTrade | 'several' | 'unknown' | undefined {
  const [call, second] = called.flatMap((each) =>
    modules.flatMap(({ program, venue }) => (program === each.program ? [{ each, venue }] : [])),
  )
  if (call === undefined) return undefined
  if (second !== undefined) return 'several'
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
 * What a trade cost its wallet beside what went in: the network's fee, and the rent of accounts that it made. A buy says itself what goes in
 * at most, so whatever else is gone is its cost, too. Never less than fee and rent.
 */
export function costOfTrade(
  trade: CalledTrade,
  { fee, gained, meta, accounts }: Around,
  called: readonly Called[],
): bigint {
  const [payer] = accounts
  if (trade.wallet !== payer) return fee
  const least = fee + rentMade(payer, meta, accounts, called)
  const cost = trade.side === 'buy' ? -gained - trade.amountIn : least
  return cost > least ? cost : least
}

/**
 * Lamports that the fee payer signed away by plain transfers beside a trade, less what others signed over to it. Where they do not stay, as in
 * an account of wrapped lamports that is closed again, they are no part of it.
 */
export function lamportsBeside(
  signed: readonly Called[],
  meta: Fields,
  accounts: readonly Address[],
): bigint {
  const [payer] = accounts
  const sent = new Map<Address, bigint>()
  let came = 0n
  for (const { from, to, lamports } of signed.flatMap(lamportTransfer)) {
    if (from === to) continue
    if (from === payer) sent.set(to, (sent.get(to) ?? 0n) + lamports)
    if (to === payer) came += lamports
  }
  return staying(sent, meta, accounts) - came
}

/**
 * Lamports that an account put into accounts that were made with them and are still there. Source: System program, `CreateAccount`, and for an address
 * that somebody sent lamports to before, `Transfer` and then `Allocate`.
 */
function rentMade(
  payer: Address,
  meta: Fields,
  accounts: readonly Address[],
  called: readonly Called[],
): bigint {
  const sent = new Map<Address, bigint>()
  const rents = new Map<Address, bigint>()
  const add = (to: Map<Address, bigint>, made: Address, lamports: bigint) =>
    to.set(made, (to.get(made) ?? 0n) + lamports)
  for (const each of called) {
    const isInner = each.index >= INNER_STEP
    for (const { from, to, lamports } of isInner ? lamportTransfer(each) : []) {
      if (from === payer) add(sent, to, lamports)
    }
    const created = systemData(each, CREATE_ACCOUNT, CREATE_BYTES)
    const [first, second] = each.accounts
    if (created !== undefined && first === payer && second !== undefined) {
      add(rents, second, created.readBigUInt64LE(LAMPORTS_AT))
    }
    if (first !== undefined && systemData(each, ALLOCATE, ALLOCATE_BYTES) !== undefined) {
      add(rents, first, sent.get(first) ?? 0n)
      sent.delete(first)
    }
  }
  return staying(rents, meta, accounts)
}

function systemData({ program, data }: Called, kind: number, length: number): Buffer | undefined {
  const bytes = program === SYSTEM_PROGRAM ? decodeBase58(data, length) : undefined
  const view = bytes && Buffer.from(bytes)
  return view?.readUInt32LE(0) === kind ? view : undefined
}

/** Of what was put into each account, at most what that has more than before. */
function staying(
  put: ReadonlyMap<Address, bigint>,
  meta: Fields,
  accounts: readonly Address[],
): bigint {
  const at = (which: 'preBalances' | 'postBalances', account: Address) =>
    integerFrom(listFrom(meta[which], which)[accounts.indexOf(account)], which)
  return [...put].reduce((sum, [account, lamports]) => {
    const more = at('postBalances', account) - at('preBalances', account)
    const stays = more < lamports ? more : lamports
    return stays > 0n ? sum + stays : sum
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
