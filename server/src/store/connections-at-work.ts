import { limits } from '../kernel/limits.ts'

/** With fewer the database would sooner be idle than busy: transactions wait for their locks and for the disk, too. */
const CONNECTIONS_MIN = 5
const CONNECTIONS_PER_CORE = 2
const OWN_CONNECTIONS_MIN = 2

/**
 * Over how many connections a store asks at once. A database behind a socket has, as a rule, its processes on this machine's cores: more of them
 * than these can work take turns in the cores' caches and nothing is sooner done, so the rest waits in order here. Of another machine's cores
 * nothing is known.
 */
export function connectionsAtWork(url: string, cores: number): number {
  if (!isSocket(url)) return limits.databaseConnectionsMax
  const busy = Math.max(CONNECTIONS_MIN, cores * CONNECTIONS_PER_CORE + 1)
  return Math.min(busy, limits.databaseConnectionsMax)
}

/** The same for what goes on whoever asks: one on each core, at least two, so that one that waits for a lock does not stop the others. */
export function ownConnectionsAtWork(url: string, cores: number): number {
  if (!isSocket(url)) return limits.databaseOwnConnectionsMax
  return Math.min(Math.max(OWN_CONNECTIONS_MIN, cores), limits.databaseOwnConnectionsMax)
}

/** Whether an address leads to a socket's directory: in the place of the host, or as the parameter `host`. */
function isSocket(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^(\/|%2f)/i.test(url.searchParams.get('host') ?? url.hostname)
}
