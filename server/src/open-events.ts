import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { AddressLimit } from './access/address-limit.ts'
import { openStreamHolders } from './access/stream-holders.ts'
import type { Chain } from './chains/chain.ts'
import { receiverAccounts } from './custody/receiver-store.ts'
import { forgetEvents } from './events/event-store.ts'
import type { Feed } from './events/feed.ts'
import { eventRoutes } from './events/routes.ts'
import type { Knock } from './events/stream-deps.ts'
import { openStreams } from './events/streams.ts'
import { forgetTickets } from './events/ticket-store.ts'
import { openTickets } from './events/ticket.ts'
import type { Gate } from './http/gate.ts'
import type { Route } from './http/route.ts'
import type { StreamRoute } from './http/stream.ts'
import type { SocketRoute } from './http/upgrade.ts'
import type { Clock } from './kernel/clock.ts'
import type { Caller, CredentialId, Plan } from './kernel/caller.ts'
import type { AccountId, SessionId } from './kernel/id.ts'
import { limits } from './kernel/limits.ts'
import type { Log } from './kernel/log.ts'
import type { Markets } from './open-markets.ts'
import type { Random } from './kernel/random.ts'
import { hasSessionCookie } from './people/cookie.ts'
import type { Store, Tx } from './store/postgres.ts'
import { oldestGivingAt } from './webhooks/giving-store.ts'

export interface EventsOptions {
  readonly store: Store
  readonly feed: Feed
  readonly gate: Gate
  readonly addresses: AddressLimit
  /** Left out: only keys listen. */
  readonly sessions?: {
    live(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, Plan>>
    /** Who asks in that session now. @throws {Refusal} UNAUTHORIZED, FORBIDDEN */
    callerOf(sessionId: SessionId): Promise<Caller>
  }
  readonly chains: readonly Chain[]
  /** What markets show, and which addresses are tokens of theirs. Left out: only the configured assets are, and nothing comes of them. */
  readonly markets?: Pick<Markets, 'feed' | 'areTokens'>
  readonly clock: Clock
  readonly log: Log
  readonly random: Random
  /** Origins of pages that may open a socket, beside our own. */
  readonly allowedOrigins: readonly string[]
  baseUrl(): string
}

/** Everything by which events are read, put together: what the edge and the end of the service need of it. */
export interface Events {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
  readonly streams: readonly StreamRoute[]
  stop(): Promise<void>
}

export function openEvents(options: EventsOptions): Events {
  const { store, gate, addresses, chains } = options
  const holders = openStreamHolders(store)
  const tickets = openTickets(options)
  const tokens = new Set(chains.flatMap(({ config }) => config.assets.map(({ asset }) => asset)))

  async function findAddresses(accountId: AccountId, texts: readonly string[]) {
    const read = texts.map((text) => {
      for (const { config, parseAddress } of chains) {
        const address = parseAddress(text)
        if (address !== undefined) return { family: config.family, address }
      }
      return undefined
    })
    const known = read.filter((one) => one !== undefined)
    const owners = await store.inTransaction('service', (tx) => receiverAccounts(tx, known))
    const own = new Set(known.filter((_, index) => owners[index] === accountId))
    const others = known.filter((one) => !own.has(one) && !tokens.has(one.address))
    const traded = await options.markets?.areTokens(others.map(({ address }) => address))
    const isOpen = (address: string) => tokens.has(address) || traded?.has(address) === true
    return read.map((one) =>
      one !== undefined && (own.has(one) || isOpen(one.address)) ? one.address : undefined,
    )
  }

  async function admit(knock: Knock) {
    const admitted = await gate.admit({ ...knock, endpoint: endpoints.listEvents })
    if (admitted.accountId === undefined) throw new Refusal('FORBIDDEN')
    return admitted
  }

  const streams = openStreams({
    ...options,
    markets: options.markets?.feed,
    isAllowedOrigin: (origin) =>
      options.allowedOrigins.includes(origin) || origin === URL.parse(options.baseUrl())?.origin,
    admitStranger: (address) => gate.admitStranger(address),
    admit,
    admitSession: async (knock) =>
      hasSessionCookie(knock.header('cookie')) ? await admit(knock) : undefined,
    callerOfTicket: async (ticket, address) => {
      addresses.count(address)
      const { accountId, keyId } = await tickets.take(ticket)
      if (!isSession(keyId)) return await holders.callerOf(accountId, keyId)
      const caller = await options.sessions?.callerOf(keyId)
      if (caller?.accountId !== accountId) throw new Refusal('UNAUTHORIZED')
      return caller
    },
    planOf: (plan) => holders.planOf(plan),
    live: async (ids) => {
      const sessionIds = ids.filter(isSession)
      const keyIds = ids.filter((id) => !isSession(id))
      const [keys, sessions] = await Promise.all([
        keyIds.length === 0 ? [] : holders.live(keyIds),
        sessionIds.length === 0 ? [] : (options.sessions?.live(sessionIds) ?? []),
      ])
      return new Map<CredentialId, Plan>([...keys, ...sessions])
    },
    findAddresses,
  })
  return {
    routes: eventRoutes({ store, tickets }),
    sockets: [streams.socketRoute],
    streams: [streams.streamRoute],
    stop: () => streams.stop(),
  }
}

function isSession(id: CredentialId): id is SessionId {
  return id.startsWith('ses_')
}

const FORGET_MAX = 10_000
const DAY_MILLISECONDS = 24 * 3_600_000

/**
 * Removes events and tickets that have had their time, a bounded number at a time; no events that webhooks have yet to be given, nor what came behind
 * them. Says whether more may wait.
 */
export async function forgetOldEvents(tx: Tx, nowMilliseconds: number): Promise<boolean> {
  const before = nowMilliseconds - limits.eventDays * DAY_MILLISECONDS
  const waiting = await oldestGivingAt(tx)
  const events = await forgetEvents(tx, Math.min(before, waiting ?? before), FORGET_MAX)
  const tickets = await forgetTickets(tx, nowMilliseconds, FORGET_MAX)
  return Math.max(events, tickets) >= FORGET_MAX
}
