import { ACCOUNT_EVENTS, MARKET_EVENTS } from '@florin/wire/event-types.ts'
import type { AccountEventType, MarketEventType } from '@florin/wire/event-types.ts'
import type { Api } from './api.ts'

/** An event of the account as the socket brings it. */
export interface LiveEvent {
  readonly id: string
  readonly type: AccountEventType
  readonly channel: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: number
}

/** Something that a market showed. It has no number and is not told again. */
export interface LiveMarketEvent {
  readonly id: string
  readonly type: MarketEventType
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: number
}

export type LiveState = 'connecting' | 'live' | 'away'

export interface Live {
  state(): LiveState
  /** Told of every event, and of every change of state. Gives the way to end it. */
  listen(onEvent: (event: LiveEvent) => void): () => void
  /** Told of what markets show of one token, from now on. Gives the way to end it. */
  listenToToken(mint: string, onEvent: (event: LiveMarketEvent) => void): () => void
  onState(changed: () => void): () => void
  stop(): void
}

const KEYS = ['payments', 'verifications', 'settlements', 'escrowCalls', 'webhooks']
const isEventType = (type: string): type is AccountEventType => Object.hasOwn(ACCOUNT_EVENTS, type)
const isMarketType = (type: string): type is MarketEventType => Object.hasOwn(MARKET_EVENTS, type)
const PAUSE_MILLISECONDS = 500
const PAUSE_MILLISECONDS_MAX = 30_000
const PING_MILLISECONDS = 10_000
/** Two pings went without an answer. */
const SILENCE_MILLISECONDS = 25_000

/**
 * The page's one event connection: a socket that a ticket opens. A connection that was lost, or that does not answer any more, is made again,
 * later each time, and goes on after the last event that came.
 */
export function openLive({ api, origin }: { api: Pick<Api, 'call'>; origin: string }): Live {
  const listeners = new Set<(event: LiveEvent) => void>()
  const watchers = new Set<() => void>()
  const tokens = new Map<string, Set<(event: LiveMarketEvent) => void>>()
  let state: LiveState = 'connecting'
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pinging: ReturnType<typeof setInterval> | undefined
  let after: string | undefined
  let failures = 0
  let stopped = false

  const become = (next: LiveState) => {
    if (state === next) return
    state = next
    for (const changed of watchers) changed()
  }
  const again = () => {
    clearInterval(pinging)
    if (stopped) return
    become('away')
    const pause = Math.min(PAUSE_MILLISECONDS * 2 ** failures, PAUSE_MILLISECONDS_MAX)
    failures += 1
    timer = setTimeout(connect, pause)
  }
  const take = (text: string) => {
    const said = readMessage(text)
    if (said.type === 'subscribed') {
      failures = 0
      after = after ?? said.cursor
      become('live')
    }
    if (said.market !== undefined) {
      const mint = said.market.data['mint']
      for (const listener of tokens.get(String(mint)) ?? []) listener(said.market)
    }
    if (said.event === undefined) return
    after = said.event.id
    for (const listener of listeners) listener(said.event)
  }
  const say = (method: 'subscribe' | 'unsubscribe', keys: readonly string[]) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ method, keys }))
  }
  const open = async () => {
    const { ticket } = await api.call('POST /events/ticket')
    if (stopped) return
    const address = `${origin.replace(/^http/, 'ws')}/api/data?ticket=${encodeURIComponent(ticket)}`
    const own = new WebSocket(address)
    socket = own
    let heardAt = performance.now()
    const left = new AbortController()
    const { signal } = left
    const leave = () => {
      left.abort()
      own.close()
      again()
    }
    /** A connection that is dead without a word is noticed by its silence; closing it says nothing for as long. */
    const ping = () => {
      if (performance.now() - heardAt > SILENCE_MILLISECONDS) leave()
      else if (own.readyState === WebSocket.OPEN) own.send('{"method":"ping"}')
    }
    clearInterval(pinging)
    pinging = setInterval(ping, PING_MILLISECONDS)
    own.addEventListener('open', () => {
      own.send(
        JSON.stringify({
          method: 'subscribe',
          keys: KEYS,
          ...(after === undefined ? {} : { after }),
        }),
      )
      if (tokens.size > 0) say('subscribe', [...tokens.keys()])
    })
    const hear = ({ data }: MessageEvent<unknown>) => {
      heardAt = performance.now()
      take(String(data))
    }
    own.addEventListener('message', hear, { signal })
    own.addEventListener('close', again, { signal })
  }
  const connect = () => {
    open().catch(again)
  }
  connect()

  return {
    state: () => state,
    listen: (onEvent) => {
      listeners.add(onEvent)
      return () => listeners.delete(onEvent)
    },
    listenToToken: (mint, onEvent) => {
      const own = tokens.get(mint) ?? new Set()
      if (own.size === 0) {
        tokens.set(mint, own)
        say('subscribe', [mint])
      }
      own.add(onEvent)
      return () => {
        own.delete(onEvent)
        if (own.size > 0) return
        tokens.delete(mint)
        say('unsubscribe', [mint])
      }
    },
    onState: (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
      clearInterval(pinging)
      socket?.close()
    },
  }
}

interface Said {
  readonly type: string
  readonly cursor?: string
  readonly event?: LiveEvent
  readonly market?: LiveMarketEvent
}

/** Reads a message of the socket; what is not understood is nothing. */
export function readMessage(text: string): Said {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return { type: '' }
  const fields: Readonly<Record<string, unknown>> = { ...value }
  const { type, id, channel, sequence, data, timestamp, cursor } = fields
  if (typeof type !== 'string') return { type: '' }
  if (
    isEventType(type) &&
    typeof id === 'string' &&
    typeof channel === 'string' &&
    typeof sequence === 'number' &&
    typeof timestamp === 'number' &&
    typeof data === 'object' &&
    data !== null
  ) {
    const event = { id, type, channel, sequence, data: { ...data }, timestamp }
    return { type, event }
  }
  if (
    isMarketType(type) &&
    typeof id === 'string' &&
    typeof timestamp === 'number' &&
    typeof data === 'object' &&
    data !== null
  ) {
    return { type, market: { id, type, data: { ...data }, timestamp } }
  }
  return typeof cursor === 'string' ? { type, cursor } : { type }
}
