import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { PostText } from './json-rpc/post-text.ts'
import type { CallEnd } from './json-rpc/transport.ts'
import type { VenueModule } from './solana/venue-module.ts'

/** What a connection to a network's nodes needs, whatever the family. */
export interface ConnectOptions {
  readonly config: NetworkConfig
  readonly log: Log
  readonly clock: Clock
  /** Told of every call to a node as it ends; for metrics. */
  readonly onCall?: (end: CallEnd) => void
  /** How long a node may take to answer; `limits.nodeCallSeconds` unless a test says otherwise. */
  readonly callSeconds?: number
  /** The HTTP client for nodes; `postText` unless a test says otherwise. */
  readonly post?: PostText
  /** Venues from outside that the operator has listed; left out, markets that name one are not opened. */
  readonly modules?: readonly VenueModule[]
  /** The HTTP client for hosted markets. */
  readonly fetch?: typeof fetch
}
