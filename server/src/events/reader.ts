import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Feed, FeedReader, Membership } from './feed.ts'
import type { FramedEvent } from './framed-event.ts'
import { keySetOf } from './key-set.ts'
import type { KeySet } from './key-set.ts'
import type { FramedMarketEvent } from './market-event.ts'
import type { MarketFeed } from './market-feed.ts'
import { openMarketOutgoing } from './market-outgoing.ts'
import type { MarketOutgoing } from './market-outgoing.ts'
import { Outgoing } from './outgoing.ts'
import type { EventForm } from './outgoing.ts'

/** How a way of delivery writes both kinds of events to its connections. */
export interface ReaderForm<Connection> extends EventForm<Connection> {
  /** Gives how many bytes went out. */
  sendMarket(connection: Connection, event: FramedMarketEvent): number
  /** Gathers what `work` sends into one write. */
  together(connection: Connection, work: () => void): void
}

interface Joined<Connection> {
  readonly feed: Feed
  /** Left out: no markets. */
  readonly markets: MarketFeed | undefined
  readonly clock: Clock
  readonly accountId: AccountId
  readonly connection: Connection
  readonly form: ReaderForm<Connection>
}

const NOTHING = keySetOf([])

/**
 * One connection's place in both feeds: which events it wants, and what it was not sent yet. Of the account nothing is delivered before its
 * membership follows or replays, of markets what comes. Thousands of these are told of one event, so what each of them touches counts, in
 * cache misses more than in instructions: few objects, and what they want shared by all who want the same.
 */
export class EventReader<Connection extends { readonly waitingBytes: number }>
  extends Outgoing<Connection, ReaderForm<Connection>>
  implements FeedReader
{
  #wanted: KeySet = NOTHING
  readonly membership: Membership
  readonly #marketOutgoing: MarketOutgoing
  readonly #leaveMarkets: (() => void) | undefined

  constructor({ feed, markets, clock, accountId, connection, form }: Joined<Connection>) {
    super(clock, connection, form)
    this.membership = feed.join(accountId, this)
    this.#marketOutgoing = openMarketOutgoing({
      hasRoom: () => this.keepsUp(),
      send: (event) => this.sentBeside(form.sendMarket(connection, event)),
    })
    this.#leaveMarkets = markets?.join((events) => this.#takeMarket(events))
  }

  /** Channels, addresses and tokens that it wants. */
  get keys(): ReadonlySet<string> {
    return this.#wanted.keys
  }

  /** From now on it wants these and no others. */
  want(keys: Iterable<string>): void {
    this.#wanted = keySetOf(keys)
  }

  override take(events: readonly FramedEvent[]): void {
    const wanted = this.#wanted.wantedOf(events)
    const only = wanted[0]
    if (wanted.length === 1 && only !== undefined) this.takeOne(only)
    else if (wanted.length > 1) {
      this.form.together(this.connection, () => super.take(wanted))
    }
  }

  #takeMarket(events: readonly FramedMarketEvent[]): void {
    const { keys } = this.#wanted
    const wanted = events.filter(({ channel, event }) => keys.has(channel) || keys.has(event.mint))
    if (wanted.length === 0) return
    this.form.together(this.connection, () => this.#marketOutgoing.take(wanted))
  }

  /** Goes on sending: what the account is owed, then what markets showed. Call it when the connection has room again. */
  override pump(): void {
    super.pump()
    this.#marketOutgoing.pump()
  }

  /** Leaves the feed, and forgets what was not sent. */
  override stop(): void {
    this.#leaveMarkets?.()
    this.#marketOutgoing.clear()
    this.membership.leave()
    super.stop()
  }
}
