import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Feed, Membership } from './feed.ts'
import type { FramedEvent } from './framed-event.ts'
import { openOutgoing } from './outgoing.ts'
import type { Outgoing } from './outgoing.ts'

/** One connection's place in an account's feed: which events it wants, and what it was not sent yet. */
export interface EventReader {
  readonly outgoing: Outgoing
  readonly membership: Membership
  /** Channels and addresses that it wants. */
  readonly keys: Set<string>
  /** Leaves the feed, and forgets what was not sent. */
  stop(): void
}

/** Joins a feed; nothing is delivered before its membership follows or replays. */
export function joinFeed({
  feed,
  clock,
  accountId,
  send,
  bytesOf,
  waitingBytes,
  together,
}: {
  readonly feed: Feed
  readonly clock: Clock
  readonly accountId: AccountId
  send(event: FramedEvent): boolean
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
  return {
    outgoing,
    membership,
    keys,
    stop: () => {
      membership.leave()
      outgoing.stop()
    },
  }
}
