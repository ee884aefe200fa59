import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Outcome } from '../chains/chain.ts'
import type { Tx } from '../store/postgres.ts'
import type { Mined, PaymentBook } from './book.ts'
import { feesBefore, markMined, markWithoutEffect } from './place-store.ts'
import type { Matched } from './place-store.ts'

/** A place of ours with what its block shows of it. */
export interface Seen {
  readonly matched: Matched
  readonly outcome: Extract<Outcome, { state: 'mined' }>
}

/** Moves places that blocks show, and tells whoever keeps their payments. Gives back what holds their news until it is committed. */
export async function storeSeen(
  tx: Tx,
  network: NetworkId,
  book: PaymentBook,
  seen: readonly Seen[],
): Promise<Mined['hold'] | undefined> {
  if (seen.length === 0) return undefined
  await markMined(tx, seen)
  const mined = await withFees(tx, network, seen)
  const { withoutEffect, hold } = await book.mined(tx, mined)
  await markWithoutEffect(tx, network, withoutEffect)
  return hold
}

/** What was seen, each with the whole fee of its payment: that of a place before it stands in the same block, or in an earlier one. */
async function withFees(tx: Tx, network: NetworkId, seen: readonly Seen[]) {
  const late = seen.filter(({ matched }) => matched.hasPlaceBefore)
  const before = await feesBefore(
    tx,
    late.flatMap(({ matched }) => matched.paymentIds),
  )
  return seen.map(({ matched, outcome }) => {
    const extra = matched.paymentIds.reduce((sum, id) => sum + (before.get(id) ?? 0n), 0n)
    return { ...matched, ...outcome, network, feePaid: baseUnits(outcome.feePaid + extra) }
  })
}
