import type { Kept } from '../kernel/kept.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { openRemoteClient } from './remote.ts'
import type { RemoteClient, RemoteFacilitator } from './remote.ts'

/** The other facilitators that the operator allows, and what was asked of them. */
export interface Remotes {
  /** Undefined for one that is not on the list. A slash at the end makes no difference. */
  find(url: string): RemoteClient | undefined
  readonly areAny: boolean
  /** Lets a request go on when whoever asked for it has gone; it ends with `stop` at the latest. Never rejects by itself. */
  keep<T>(work: Promise<T>): Promise<T>
  /** Gives up what is under way and waits for everything that is kept. */
  stop(): Promise<void>
}

export function openRemotes(
  outbound: Outbound,
  facilitators: readonly RemoteFacilitator[],
  kept: Kept,
): Remotes {
  const stopping = new AbortController()
  const clients = new Map(
    facilitators.map((facilitator) => [
      facilitator.url,
      openRemoteClient(outbound, facilitator, stopping.signal),
    ]),
  )
  return {
    find: (url) => clients.get(url.replace(/\/+$/, '')),
    areAny: clients.size > 0,
    keep: (work) => {
      kept.keep(work)
      return work
    },
    stop: async () => {
      stopping.abort()
      await kept.ended()
    },
  }
}
