import { Refusal } from '@florin/wire/errors.ts'
import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import { eventStream } from '@florin/wire/events.ts'
import { isSameOrigin } from '../http/same-origin.ts'
import { streamRoute } from '../http/stream.ts'
import type { StreamConnection, StreamRoute } from '../http/stream.ts'
import type { SocketRoute } from '../http/upgrade.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openConnectionCounts } from './connection-counts.ts'
import { sequenceOf } from './event-store.ts'
import { openMessageRates } from './message-rates.ts'
import { openMessageReader } from './read-message.ts'
import { openSession } from './socket-session.ts'
import type { SessionDeps } from './socket-session.ts'
import { BEGINNING, openStreamSession } from './stream-session.ts'
import type { StreamDeps } from './stream-deps.ts'
import { resolveKeys } from './subscription-keys.ts'
import { unknownCursor } from './unknown-cursor.ts'

/** What all connections have in common for those who look after them. */
interface Session {
  caller(): Caller | undefined
  look(nowMilliseconds: number): void
  expel(): void
  /** The plan is another: it comes back under that one. */
  sendAway(): void
}

/** The open connections of this instance: WebSockets and streams of server-sent events. */
export interface Streams {
  readonly socketRoute: SocketRoute
  readonly streamRoute: StreamRoute
  stop(): Promise<void>
}

export function openStreams(deps: StreamDeps & { baseUrl(): string }): Streams {
  const { clock, log } = deps
  const sessions = new Set<Session>()
  const strangers = new Map<string, number>()
  const stopping = new AbortController()
  const shared: SessionDeps = {
    ...deps,
    counts: openConnectionCounts(),
    rates: openMessageRates(clock),
    readMessage: openMessageReader(),
  }
  let opened = 0
  let strangerCount = 0

  function admitStranger(address: string): void {
    deps.admitStranger(address)
    const own = strangers.get(address) ?? 0
    if (strangerCount >= limits.socketStrangersMax || own >= limits.socketStrangersPerAddressMax) {
      throw new Refusal('RATE_LIMIT', {
        message: 'Too many sockets that have not authenticated.',
        retryAfterSeconds: limits.socketAuthenticateSeconds,
      })
    }
  }

  /** Gives the way to count it out again: once it has a key, or is closed. */
  function countStranger(address: string): () => void {
    strangerCount += 1
    strangers.set(address, (strangers.get(address) ?? 0) + 1)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      strangerCount -= 1
      const left = (strangers.get(address) ?? 1) - 1
      if (left === 0) strangers.delete(address)
      else strangers.set(address, left)
    }
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(limits.socketLookMilliseconds, stopping.signal)
      const now = clock.nowMilliseconds()
      for (const session of sessions) session.look(now)
      await expelDeleted()
    }
  }

  /** And those whose plan was changed: what they may do was read when they came. A question that nobody answered is no deletion. */
  async function expelDeleted(): Promise<void> {
    const asked = Map.groupBy(sessions, (session) => session.caller()?.keyId)
    const keyIds = [...asked.keys()].filter((keyId) => keyId !== undefined)
    if (keyIds.length === 0) return
    try {
      const live = await deps.live(keyIds)
      for (const keyId of keyIds) {
        const plan = live.get(keyId)
        for (const session of asked.get(keyId) ?? []) {
          const caller = session.caller()
          // It may have authenticated with another key meanwhile.
          if (caller?.keyId !== keyId) continue
          if (plan === undefined) session.expel()
          else if (plan !== caller.plan) session.sendAway()
        }
      }
    } catch (error) {
      log.debug({ reason: error }, 'nobody could say which keys are live')
    }
  }
  const looking = look()

  async function placeOf(accountId: AccountId, id: string) {
    const sequence = id === BEGINNING ? 0 : await sequenceOf(deps.store, accountId, id)
    if (sequence === undefined) throw unknownCursor()
    return { id, sequence }
  }

  return {
    socketRoute: {
      path: '/data',
      admit: async (arrival) => {
        const { authorization, origin, address, ticket, header } = arrival
        const isOurs = isSameOrigin({ origin, host: header('host').at(0) })
        if (origin !== undefined && !isOurs && !deps.isAllowedOrigin(origin)) {
          throw new Refusal('FORBIDDEN', {
            message: 'Pages of this origin may not open a socket here.',
            details: { origin: 'is not on the list of allowed origins' },
          })
        }
        const who =
          authorization.length > 0
            ? await deps.admit(arrival)
            : ticket !== undefined
              ? await deps.callerOfTicket(ticket, address)
              : isOurs
                ? await deps.admitSession(arrival)
                : undefined
        const known = who && { caller: who, plan: await deps.planOf(who.plan) }
        if (known === undefined) admitStranger(address)
        return (connection) => {
          opened += 1
          const leave = known === undefined ? countStranger(address) : () => undefined
          const session = openSession(shared, connection, {
            name: `socket-${opened}`,
            address,
            admitted: known,
            onWelcomed: leave,
            onClosed: () => {
              leave()
              sessions.delete(session)
            },
          })
          sessions.add(session)
        }
      },
    },
    streamRoute: streamRoute(eventStream, async ({ caller, query, headers }) => {
      const { accountId } = caller
      const resume = headers['last-event-id']
      const after = (typeof resume === 'string' && resume) || query.after
      const asked = query.keys?.split(',') ?? Object.values(ACCOUNT_EVENTS)
      if (asked.length > limits.socketKeysMax) {
        throw new Refusal('INVALID_PARAMETERS', {
          details: { keys: `at most ${limits.socketKeysMax}` },
        })
      }
      const keys = await resolveKeys(deps, accountId, asked)
      const from = after ? await placeOf(accountId, after) : undefined
      const plan = await deps.planOf(caller.plan)
      const release = shared.counts.take(caller, plan)
      return (connection: StreamConnection) => {
        const session = openStreamSession(deps, connection, {
          caller,
          keys,
          from,
          onClosed: () => {
            release()
            sessions.delete(session)
          },
        })
        sessions.add(session)
      }
    }),
    stop: async () => {
      stopping.abort()
      await looking
    },
  }
}
