import type { Renewal } from './chain.ts'

/** Something that waits for bytes which can be included for some time only. */
export interface Mortal {
  /** The bytes, signed or not. */
  readonly raw: Uint8Array
  /** As the node told it that they were made with. */
  readonly lastValidBlockHeight: bigint
}

/**
 * Those whose lifetime is over for good, with the height up to which a block may hold them: every node that answers is past what was told of it, and
 * every node calls the bytes over, since what was told may be wrong. That only counts once our own chain was read as final up to that height.
 * None where nothing is built for others. Throws NodeFailure when no node answers.
 */
export async function endedLifetimes<Each extends Mortal>(
  renewal: Renewal,
  mortals: readonly Each[],
): Promise<readonly { readonly mortal: Each; readonly height: bigint }[]> {
  if (renewal.kind !== 'lifetime' || renewal.finalHeights === undefined || mortals.length === 0) {
    return []
  }
  const reaches = await renewal.finalHeights()
  const past = mortals.filter(({ lastValidBlockHeight }) =>
    reaches.every(({ lifetime }) => lifetime > lastValidBlockHeight),
  )
  if (past.length === 0) return []
  const heights = reaches.map(({ height }) => height)
  const sinceHeight = heights.reduce((one, other) => (one < other ? one : other))
  const most = heights.reduce((one, other) => (one > other ? one : other))
  const told = await renewal.deadFrom(past.map(({ raw }) => ({ raw, sinceHeight })))
  return past.flatMap((mortal, index) => {
    const height = told[index]
    return height === undefined ? [] : [{ mortal, height: height > most ? height : most }]
  })
}
