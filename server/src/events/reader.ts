import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Feed, Membership } from './feed.ts'
import type { FramedEvent } from './framed-event.ts'
import type { FramedMarketEvent } from './market-event.ts'
import type { MarketFeed } from './market-feed.ts'
import { openMarketOutgoing } from './market-outgoing.ts'
import { openOutgoing } from './outgoing.ts'
import type { Outgoing } from './outgoing.ts'

/** One connection's place in an account's feed: which events it wants, and what it was not sent yet. */
export interface EventReader {
  readonly outgoing: Outgoing
  readonly membership: Membership
  /** Channels, addresses and tokens that it wants. */
  readonly keys: Set<string>
  /** Goes on sending: what the account is owed, then what markets showed. Call it when the connection has room again. */
  pump(): void
  /** Leaves the feed, and forgets what was not sent. */
  stop(): void
}

/** Joins both feeds. Of the account nothing is delivered before its membership follows or replays, of markets what comes. */
export function joinFeed({
  feed,
  markets,
  clock,
  accountId,
  send,
  sendMarket,
  bytesOf,
  waitingBytes,
  together,
}: {
  readonly feed: Feed
  /** Left out: no markets. */
  readonly markets: MarketFeed | undefined
  readonly clock: Clock
  readonly accountId: AccountId
  send(event: FramedEvent): boolean
  /** Gives how many bytes went out. */
  sendMarket(event: FramedMarketEvent): number
  bytesOf(event: FramedEvent): number
  waitingBytes(): number
  /** Gathers what `work` sends into one write. */
  together(work: () => void): void
}): EventReader {
  const keys = new Set<string>()
  const outgoing = openOutgoing({ clock, send, bytesOf, waitingBytes })
  const isWanted = (framed: FramedEvent) =>
    keys.has(framed.event.channel) || framed.addresses.some((address) => keys.has(address))
  const membership = feed.join(accountId, {
    take: (events) => {
      const wanted = events.filter(isWanted)
      if (wanted.length === 1) outgoing.take(wanted)
      else if (wanted.length > 1) together(() => outgoing.take(wanted))
    },
    ready: () => outgoing.ready(),
  })
  const marketOutgoing = openMarketOutgoing({
    hasRoom: () => outgoing.isIdle(),
    send: (event) => outgoing.sentBeside(sendMarket(event)),
  })
  const leaveMarkets = markets?.join((events) => {
    const wanted = events.filter(({ channel, event }) => keys.has(channel) || keys.has(event.mint))
    if (wanted.length > 0) together(() => marketOutgoing.take(wanted))
  })
  return {
    outgoing,
    membership,
    keys,
    pump: () => {
      outgoing.pump()
      marketOutgoing.pump()
    },
    stop: () => {
      leaveMarkets?.()
      marketOutgoing.clear()
      membership.leave()
      outgoing.stop()
    },
  }
}
