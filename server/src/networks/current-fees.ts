import type { NetworkId } from '@florin/wire/network.ts'
import type { Chain, FeeEstimate } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'

/** What a network asked for, and when it said so. */
export interface KnownFees extends FeeEstimate {
  readonly updatedAtMilliseconds: number
}

export interface CurrentFees {
  /** At most limits.networkFeesSeconds old; null when the network has not said it in that time. Never throws for a node. */
  of(network: NetworkId): Promise<KnownFees | null>
}

/**
 * Asks each network at most once per limits.networkFeesSeconds, whoever and however many want to know, and lets nobody
 * wait longer than limits.networkFeesWaitMilliseconds for a node that is slow.
 */
export function openCurrentFees(deps: {
  readonly chains: ReadonlyMap<NetworkId, Chain>
  readonly clock: Clock
  readonly log: Log
}): CurrentFees {
  const { clock } = deps
  const boards = new Map(
    [...deps.chains].map(([network, chain]) => [network, openBoard(chain, deps)]),
  )
  return {
    of: async (network) => {
      const board = boards.get(network)
      if (board === undefined) return null
      const known = board.fresh()
      if (known !== null) return known
      const over = new AbortController()
      await Promise.race([
        board.ask(),
        clock.sleep(limits.networkFeesWaitMilliseconds, over.signal),
      ])
      over.abort()
      return board.fresh()
    },
  }
}

function openBoard(chain: Chain, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const lifetimeMilliseconds = limits.networkFeesSeconds * 1000
  let known: KnownFees | null = null
  let askedAtMilliseconds = -Infinity
  let asking: Promise<void> = Promise.resolve()

  async function askNow(): Promise<void> {
    try {
      const estimate = await chain.estimateFees()
      known = { ...estimate, updatedAtMilliseconds: clock.nowMilliseconds() }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.info({ network: chain.config.network, reason }, 'the fees of a network are not known')
    }
  }

  return {
    fresh: (): KnownFees | null =>
      known !== null && clock.nowMilliseconds() - known.updatedAtMilliseconds < lifetimeMilliseconds
        ? known
        : null,
    /** Settles when the newest question has its answer, or has failed. */
    ask: (): Promise<void> => {
      if (clock.nowMilliseconds() - askedAtMilliseconds >= lifetimeMilliseconds) {
        askedAtMilliseconds = clock.nowMilliseconds()
        asking = askNow()
      }
      return asking
    },
  }
}
