import { openRemotes } from './facilitator/remotes.ts'
import type { RemoteFacilitator } from './facilitator/remote.ts'
import type { Clock } from './kernel/clock.ts'
import { openKept } from './kernel/kept.ts'
import type { NetworkConfig } from './kernel/network-config.ts'
import { openOutbound } from './outbound/outbound.ts'
import type { Listener } from './outbound/own-listeners.ts'
import { portsOf } from './read-facilitators.ts'

/** Opens the way to other facilitators, and a place for what settling leaves to be done when nobody waits for it any more. */
export function openOtherFacilitators({
  facilitators,
  networks,
  ownListeners,
  clock,
}: {
  readonly facilitators: readonly RemoteFacilitator[]
  readonly networks: readonly NetworkConfig[]
  readonly ownListeners: () => readonly Listener[]
  readonly clock: Clock
}) {
  const kept = openKept()
  const allowLoopback = networks.every(({ sandbox }) => sandbox)
  const ports = portsOf(facilitators)
  const outbound = openOutbound({ allowLoopback, ownListeners, clock, ports })
  return { kept, remotes: openRemotes(outbound, facilitators, kept) }
}
