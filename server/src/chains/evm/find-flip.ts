/** What the state of the chain says at a height; undefined where no node knows it any more. */
export type StateAt = (height: bigint) => Promise<'open' | 'used' | undefined>

/**
 * The height of the block in which something was used up, between two heights, of which the upper one is known to have it used: what is used is never unused
 * again, so the blocks are bisected, from the newest back in steps that double, which asks for no state older than it must. The lowest is asked for first: what was used before that
 * is over with one question. `none` where it was used up below, `unknown` where no node has a state that is needed any more. Each height may be told by another machine: what
 * is found is a place to look at.
 */
export async function findFlip(
  stateAt: StateAt,
  sinceHeight: bigint,
  usedAt: bigint,
): Promise<bigint | 'none' | 'unknown'> {
  const floor = sinceHeight - 1n
  if (usedAt <= floor || (await stateAt(floor)) === 'used') return 'none'
  let used = usedAt
  // The same as `used` until one is found.
  let open = usedAt
  for (let step = 1n; open === used; step *= 2n) {
    open = usedAt - step > floor ? usedAt - step : floor
    const state = await stateAt(open)
    if (state === undefined) return 'unknown'
    if (state === 'open') break
    if (open <= floor) return 'none'
    used = open
  }
  while (used - open > 1n) {
    const middle = open + (used - open) / 2n
    const state = await stateAt(middle)
    if (state === undefined) return 'unknown'
    if (state === 'open') open = middle
    else used = middle
  }
  return used
}
