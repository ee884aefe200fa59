import type { Block } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'

/** Of the chain's own time: its blocks may tell whole seconds only. */
const MEASURED_MILLISECONDS = 60_000
/** Some chains make blocks a little quicker when they are asked for more. */
const QUICKER_TIMES = 3

/**
 * Hears of the newest block of each read, and says once in a while in the log where blocks come several times as quickly as the networks file says: what
 * is counted in blocks is shorter then than whoever wrote it meant, and new blocks are looked for too seldom. By the chain's own time, which goes on at
 * its pace also for who reads what was missed. Nothing is said of a sandbox, nor of a chain that is slower, as some are that make blocks on demand.
 */
export function openBlockPace(
  {
    network,
    sandbox,
    blockTimeMilliseconds,
  }: Pick<NetworkConfig, 'network' | 'sandbox' | 'blockTimeMilliseconds'>,
  { clock, log }: { readonly clock: Pick<Clock, 'nowMilliseconds'>; readonly log: Log },
): (block: Pick<Block, 'height' | 'timeMilliseconds'>) => void {
  let from: Pick<Block, 'height' | 'timeMilliseconds'> | undefined
  let toldAt: number | undefined

  function tell(milliseconds: number): void {
    const now = clock.nowMilliseconds()
    const passed = now - (toldAt ?? -Infinity)
    if (passed >= 0 && passed < limits.chainClockToldSeconds * 1000) return
    toldAt = now
    log.warn(
      { network, milliseconds: Math.round(milliseconds) },
      'blocks come several times as quickly as blockTimeMilliseconds of the networks file says: docs/operating/networks.md, "Chains with fast blocks"',
    )
  }

  return (block) => {
    if (sandbox) return
    // Back below it a reorganisation took the blocks that were counted.
    if (from === undefined || block.height <= from.height) {
      from = block
      return
    }
    const passed = block.timeMilliseconds - from.timeMilliseconds
    if (passed < MEASURED_MILLISECONDS) return
    const milliseconds = passed / Number(block.height - from.height)
    from = block
    if (milliseconds * QUICKER_TIMES <= blockTimeMilliseconds) tell(milliseconds)
  }
}
