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
  stop(): Promise<void>
}

export function openRemotes(
  outbound: Outbound,
  facilitators: readonly RemoteFacilitator[],
): Remotes {
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
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
      const ended = work.then(
        () => undefined,
        () => undefined,
      )
      underWay.add(ended)
      // Handed over: `ended` never rejects, and `stop` waits for it.
      void ended.then(() => underWay.delete(ended))
      return work
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(underWay)
    },
  }
}
