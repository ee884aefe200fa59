import type { Lifetime } from './blocks.ts'

/**
 * The last block height at which any blockhash is taken that was valid at a slot: none outlives the newest one. Where that was told by a
 * node that stands below the slot, as machines behind one address may, each slot between may hold a block with a younger one. An end that
 * is too early would be proof that bytes expired which can still be included.
 */
export function endOfValid(newest: Lifetime, slot: bigint): bigint {
  const { lastValidBlockHeight: last } = newest
  return slot > newest.slot ? last + slot - newest.slot : last
}
