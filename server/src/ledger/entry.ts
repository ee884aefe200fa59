import assert from 'node:assert/strict'
import type { NetworkId } from '@florin/wire/network.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'

/** What a line moves: money the wallet may spend, money promised to a payment, the world outside, what networks took. */
export const LINE_KINDS = ['available', 'held', 'external', 'fees'] as const
export type LineKind = (typeof LINE_KINDS)[number]

/** One side of a transfer, in base units; positive is money coming in. */
export interface LedgerLine {
  readonly kind: LineKind
  readonly amount: bigint
}

/** Which wallet's books, and in what. */
export interface LedgerPlace {
  readonly accountId: AccountId
  readonly walletId: WalletId
  readonly network: NetworkId
  /** `native`, or the token's canonical address. */
  readonly asset: string
}

/** One balanced movement inside one wallet's books of one asset. Only the six functions below make one. */
export interface LedgerTransfer extends LedgerPlace {
  readonly kind: 'funding' | 'hold' | 'post' | 'void' | 'correction'
  readonly paymentId: PaymentId | null
  readonly lines: readonly LedgerLine[]
}

/** Money of one asset that is promised to one payment. */
export interface Hold extends LedgerPlace {
  readonly paymentId: PaymentId
  readonly amount: bigint
}

/** Money that the chain shows in the wallet and the books did not know yet; of the payment that brought it in, where that is known. */
export function funding(
  place: LedgerPlace,
  amount: bigint,
  paymentId: PaymentId | null = null,
): LedgerTransfer {
  assert(amount > 0n, 'a funding is positive')
  return transfer(place, 'funding', paymentId, [
    { kind: 'available', amount },
    { kind: 'external', amount: -amount },
  ])
}

/** Promises money to a payment: at most once per payment and asset. The database refuses it when available is short. */
export function hold(hold: Hold): LedgerTransfer {
  assert(hold.amount > 0n, 'a hold is positive')
  return transfer(hold, 'hold', hold.paymentId, [
    { kind: 'available', amount: -hold.amount },
    { kind: 'held', amount: hold.amount },
  ])
}

/**
 * Closes a hold with what the chain did: `moved` left the wallet, the network took `fee`, the rest is available again. A fee has no bound: no
 * signature limits what a roll-up takes for publishing the bytes. What it took above the hold leaves `available`, which goes below zero where it has less.
 */
export function post(hold: Hold, { moved, fee }: { moved: bigint; fee: bigint }): LedgerTransfer {
  assert(moved >= 0n && fee >= 0n, 'what moved and the fee are not negative')
  assert(moved <= hold.amount, 'a payment never moves more than its hold')
  const rest = hold.amount - moved - fee
  return transfer(hold, 'post', hold.paymentId, [
    { kind: 'held', amount: -hold.amount },
    { kind: 'external', amount: moved },
    { kind: 'fees', amount: fee },
    { kind: 'available', amount: rest },
  ])
}

/** Closes a hold whose money did not move and cannot move any more. */
export function release(hold: Hold): LedgerTransfer {
  return transfer(hold, 'void', hold.paymentId, [
    { kind: 'held', amount: -hold.amount },
    { kind: 'available', amount: hold.amount },
  ])
}

/** Takes out of the books what is not in the wallet any more, because somebody else has moved it with the same key. */
export function correction(place: LedgerPlace, missing: bigint): LedgerTransfer {
  assert(missing > 0n, 'what is missing is positive')
  return transfer(place, 'correction', null, [
    { kind: 'available', amount: -missing },
    { kind: 'external', amount: missing },
  ])
}

/**
 * Takes out of the books what a network took for a transaction that no payment bears. `available` goes below zero where it has less: money that the books do
 * not know yet has paid that, or what is held.
 */
export function ownFee(place: LedgerPlace, fee: bigint): LedgerTransfer {
  assert(fee > 0n, 'a fee is positive')
  return transfer(place, 'correction', null, [
    { kind: 'available', amount: -fee },
    { kind: 'fees', amount: fee },
  ])
}

/** How far a transfer may take `available` below zero: by what a network took, since nobody could refuse that, and by nothing else. */
export function overdraws({ lines }: Pick<LedgerTransfer, 'lines'>): bigint {
  const amountOf = (wanted: LineKind) => lines.find(({ kind }) => kind === wanted)?.amount ?? 0n
  const [fee, taken] = [amountOf('fees'), -amountOf('available')]
  return taken <= 0n ? 0n : taken < fee ? taken : fee
}

/** Fails unless the lines sum to zero with one line per kind and none of zero: the last look before the database's own. */
export function assertBalanced({ lines }: Pick<LedgerTransfer, 'lines'>): void {
  assert(lines.length >= 2, 'a transfer has two lines or more')
  assert(new Set(lines.map(({ kind }) => kind)).size === lines.length, 'one line per kind')
  assert(
    lines.every(({ amount }) => amount !== 0n),
    'no line is zero',
  )
  assert(lines.reduce((sum, { amount }) => sum + amount, 0n) === 0n, 'lines sum to zero')
}

function transfer(
  place: LedgerPlace,
  kind: LedgerTransfer['kind'],
  paymentId: PaymentId | null,
  lines: readonly LedgerLine[],
): LedgerTransfer {
  const { accountId, walletId, network, asset } = place
  const made = {
    accountId,
    walletId,
    network,
    asset,
    kind,
    paymentId,
    lines: lines.filter(({ amount }) => amount !== 0n),
  }
  assertBalanced(made)
  return made
}
