import type { Arrival } from '../http/gate.ts'
import type { Caller, CredentialId, Plan } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { Feed } from './feed.ts'
import type { MarketFeed } from './market-feed.ts'

/** What a plan allows an account on its connections of one instance; null: as much as it likes. */
export interface SocketPlan {
  readonly sockets: number | null
  readonly messagesPerSecond: number | null
}

/** What somebody who asks for a socket, or authenticates on one, has shown; and who hears how much room the window of the key has. */
export type Knock = Omit<Arrival, 'endpoint'>

/** What the ways to read events stand on; who is asking is another room's knowledge, and handed in. */
export interface StreamDeps {
  readonly store: Store
  readonly feed: Feed
  /** What markets show to everybody. Left out: nothing. */
  readonly markets?: MarketFeed | undefined
  readonly clock: Clock
  readonly log: Log
  /** Whether a page of that origin may open a socket. */
  isAllowedOrigin(origin: string): boolean
  /** Counts somebody without a key. @throws {Refusal} RATE_LIMIT */
  admitStranger(address: string): void
  /** Who is asking, with room in the window of its key. @throws {Refusal} UNAUTHORIZED, FORBIDDEN, RATE_LIMIT */
  admit(knock: Knock): Promise<Caller>
  /** Whose session a page of ours came with; undefined without one. @throws {Refusal} UNAUTHORIZED, FORBIDDEN, RATE_LIMIT */
  admitSession(knock: Required<Knock>): Promise<Caller | undefined>
  /** Who gave themselves that ticket, which is used up. @throws {Refusal} UNAUTHORIZED, FORBIDDEN, RATE_LIMIT */
  callerOfTicket(ticket: string, address: string): Promise<Caller>
  /** What a plan allows an account; null: as much as it likes. */
  planOf(plan: Plan): Promise<SocketPlan>
  /** Of these keys those that are live, each with its plan now. */
  live(keyIds: readonly CredentialId[]): Promise<ReadonlyMap<CredentialId, Plan>>
  /** The account's own addresses and tokens in their one spelling, in their order; undefined: nothing that it may read about. */
  findAddresses(
    accountId: AccountId,
    texts: readonly string[],
  ): Promise<readonly (string | undefined)[]>
}
