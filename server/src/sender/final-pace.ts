import type { Head } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/** When nodes are to be asked again what they call final. */
export interface FinalPace {
  isDue(): boolean
  /** They were asked, and said this. */
  told(head: Pick<Head, 'height' | 'finalizedHeight'>): void
}

/** What is told so much later than it could be, of the time that a block takes to be final, matters to nobody. */
const PART = 64

/**
 * A height far below the head, as that of a roll-up which is final after twenty minutes, need not be asked for with each look at the head, which is a call of its own. Where blocks
 * are final as soon as they are made it is.
 */
export function openFinalPace(
  clock: Pick<Clock, 'nowMilliseconds'>,
  { blockTimeMilliseconds }: Pick<NetworkConfig, 'blockTimeMilliseconds'>,
): FinalPace {
  let until = 0
  return {
    isDue: () => !hasLeft(until, clock.nowMilliseconds(), limits.finalAskedMillisecondsMax),
    told: ({ height, finalizedHeight }) => {
      const agoMilliseconds = Number(height - finalizedHeight) * blockTimeMilliseconds
      const pause = Math.min(agoMilliseconds / PART, limits.finalAskedMillisecondsMax)
      until = clock.nowMilliseconds() + pause
    },
  }
}
