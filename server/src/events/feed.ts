import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Listener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import type { NumberedEvent } from './event.ts'
import { eventsAfter, lastSequences } from './event-store.ts'
import { frameEvent } from './framed-event.ts'
import type { FramedEvent } from './framed-event.ts'
import { tellAll } from './tell-all.ts'
import { readEventsName } from './wake-name.ts'

/** Somebody who reads an account's events. */
export interface FeedReader {
  /** Events in order, each number once. Must not throw. */
  take(events: readonly FramedEvent[]): void
  /** Whether it would be sent something at once. Must not change anything. */
  keepsUp(): boolean
  /** Resolves when what it was given has mostly gone out, so that a long replay does not pile up. */
  ready(): Promise<void>
}

export interface Membership {
  /** The newest number now: where somebody begins who wants only what comes. */
  newest(): Promise<number>
  /** Everything after this number, then what comes, without gap or duplicate. Begins anew when it is called again. */
  replay(afterSequence: number): void
  leave(): void
}

/** Fans an account's numbered events out to all who read them on this instance. */
export interface Feed {
  join(accountId: AccountId, reader: FeedReader): Membership
  /** Events that this instance has just numbered. */
  announce(events: readonly NumberedEvent[]): void
  stop(): Promise<void>
}

interface Member {
  readonly reader: FeedReader
  /** The last number that it was given. */
  position: number
  isLive: boolean
  /** Grows when it begins anew, or leaves: an older replay ends. */
  turn: number
}

interface Room {
  readonly accountId: AccountId
  readonly members: Set<Member>
  /** The last number that was fanned out; undefined until it is known where to begin. */
  position: number | undefined
  beginning: Promise<void> | undefined
  reading: Promise<void> | undefined
  /** Something came while it was reading. */
  isStale: boolean
}

const PAGE = limits.eventsPerPageMax

/**
 * A gap in the numbers is all that anybody must notice: whatever was missed is read from the database. So it does not matter
 * whether the relay is in this process, a notification was lost, or came twice.
 */
export function openFeed({
  store,
  listener,
  clock,
  log,
}: {
  readonly store: Store
  readonly listener: Listener
  readonly clock: Clock
  readonly log: Log
}): Feed {
  const rooms = new Map<AccountId, Room>()
  const stopping = new AbortController()

  const stopListening = listener.onChanged((name) => {
    const told = readEventsName(name)
    const room = told && rooms.get(told.accountId)
    if (room === undefined || told === undefined) return
    if (room.position === undefined || told.sequence > room.position) readOn(room)
  })

  /** Finds out where the room begins, once. */
  function begin(room: Room): Promise<void> {
    room.beginning ??= lastSequences(store, [room.accountId]).then(
      (last) => {
        room.position = last.get(room.accountId) ?? 0
        if (room.isStale) readOn(room)
      },
      (error: unknown) => {
        room.beginning = undefined
        throw error
      },
    )
    return room.beginning
  }

  function publish(room: Room, events: readonly FramedEvent[]): void {
    if (room.position === undefined) {
      room.isStale = true
      return
    }
    const next: FramedEvent[] = []
    for (const framed of events) {
      const { sequence } = framed.event
      if (sequence <= room.position) continue
      if (sequence > room.position + 1) {
        readOn(room)
        break
      }
      room.position = sequence
      next.push(framed)
    }
    if (next.length === 0) return
    tellAll(
      room.members,
      ({ isLive, reader }) => isLive && reader.keepsUp(),
      // Asked again: one that is told may be the end of another.
      (member) => {
        if (member.isLive) give(member, next)
      },
    )
  }

  function give(member: Member, events: readonly FramedEvent[]): void {
    const first = events[0]?.event.sequence ?? 0
    const unseen =
      first > member.position
        ? events
        : events.filter(({ event }) => event.sequence > member.position)
    const last = unseen.at(-1)
    if (last === undefined) return
    member.position = last.event.sequence
    member.reader.take(unseen)
  }

  /** Reads what the room has not fanned out yet; one read at a time. */
  function readOn(room: Room): void {
    room.isStale = true
    if (room.position === undefined || room.reading !== undefined) return
    room.reading = readRoom(room)
      .catch((error: unknown) => log.debug({ reason: error }, 'events were not read'))
      .finally(() => {
        room.reading = undefined
      })
  }

  async function readRoom(room: Room): Promise<void> {
    let count: number = PAGE
    while ((room.isStale || count === PAGE) && room.members.size > 0 && !stopping.signal.aborted) {
      room.isStale = false
      const page = await eventsAfter(store, room.accountId, room.position ?? 0, PAGE)
      count = page.length
      const first = page[0]?.sequence ?? 0
      // What is no longer kept cannot be fanned out.
      if (room.position !== undefined && first > room.position + 1) room.position = first - 1
      publish(room, page.map(frameEvent))
    }
  }

  async function lookAgain(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(limits.feedLookAgainMilliseconds, stopping.signal)
      if (rooms.size === 0 || stopping.signal.aborted) continue
      try {
        const last = await lastSequences(store, [...rooms.keys()])
        for (const [accountId, sequence] of last) {
          const room = rooms.get(accountId)
          if (room?.position !== undefined && room.position < sequence) readOn(room)
        }
      } catch (error) {
        log.debug({ reason: error }, 'nobody could say whether there are new events')
      }
    }
  }
  const looking = lookAgain()

  async function replay(room: Room, member: Member, turn: number): Promise<void> {
    const isOver = () => member.turn !== turn || stopping.signal.aborted
    while (!isOver()) {
      try {
        await begin(room)
        await member.reader.ready()
        if (isOver()) return
        const size = limits.eventsPerReplayPage
        const head = room.position ?? 0
        const page = await eventsAfter(store, room.accountId, member.position, size)
        if (isOver()) return
        give(member, page.map(frameEvent))
        // Of what is no longer kept nothing comes; what was numbered before this look and is kept would have.
        if (page.length === 0) member.position = Math.max(member.position, head)
        // In one go, so that no event comes between the look and the joining.
        if (page.length < size && member.position >= (room.position ?? Infinity)) {
          member.isLive = true
          return
        }
      } catch (error) {
        log.debug({ reason: error }, 'a replay waits for the database')
        await clock.sleep(limits.feedLookAgainMilliseconds, stopping.signal)
      }
    }
  }

  return {
    join: (accountId, reader) => {
      const room = rooms.get(accountId) ?? {
        accountId,
        members: new Set<Member>(),
        position: undefined,
        beginning: undefined,
        reading: undefined,
        isStale: false,
      }
      rooms.set(accountId, room)
      const member: Member = { reader, position: 0, isLive: false, turn: 0 }
      room.members.add(member)
      return {
        newest: async () => {
          await begin(room)
          return room.position ?? 0
        },
        replay: (afterSequence) => {
          member.turn += 1
          member.isLive = false
          member.position = afterSequence
          void replay(room, member, member.turn)
        },
        leave: () => {
          member.turn += 1
          member.isLive = false
          room.members.delete(member)
          if (room.members.size === 0 && rooms.get(accountId) === room) rooms.delete(accountId)
        },
      }
    },
    announce: (events) => {
      for (const [accountId, own] of Map.groupBy(events, (event) => event.accountId)) {
        const room = rooms.get(accountId)
        if (room !== undefined) publish(room, own.map(frameEvent))
      }
    },
    stop: async () => {
      stopping.abort()
      stopListening()
      await looking
      for (const room of rooms.values()) await room.reading
    },
  }
}
