import { Refusal } from '@florin/wire/errors.ts'
import type { CloseCode, SocketConnection } from '../http/web-socket.ts'
import type { Caller } from '../kernel/caller.ts'
import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import type { ConnectionCounts } from './connection-counts.ts'
import { idOf, sequenceOf } from './event-store.ts'
import type { MessageRates } from './message-rates.ts'
import type { Message } from './read-message.ts'
import { EventReader } from './reader.ts'
import { FRAMES } from './socket-frames.ts'
import { refusalFrom, said } from './said.ts'
import type { SocketPlan, StreamDeps } from './stream-deps.ts'
import { resolveKeys } from './subscription-keys.ts'
import { unknownCursor } from './unknown-cursor.ts'

/** One open socket. */
export interface SocketSession {
  /** Whose key opened it; undefined until it has authenticated. */
  caller(): Caller | undefined
  /** Looks whether it is time to ping, or to close: too late, too slow, gone. */
  look(nowMilliseconds: number): void
  /** Its key is no longer live. */
  expel(): void
  /** Its plan is another than when it came. */
  sendAway(): void
}

/** What the sockets of an instance share. */
export interface SessionDeps extends StreamDeps {
  readonly counts: ConnectionCounts
  readonly rates: MessageRates
  readMessage(text: string): Message
  baseUrl(): string
}

/** A message has no headers to tell it in. */
const NOWHERE = () => undefined
const AUTHENTICATE_MILLISECONDS = limits.socketAuthenticateSeconds * 1000
const PING_MILLISECONDS = limits.socketPingSeconds * 1000

interface Holder {
  readonly caller: Caller
  readonly plan: SocketPlan
  readonly reader: EventReader<SocketConnection>
  readonly release: () => void
}

/**
 * Serves one socket. `name` is unique on this instance; `admitted` is who came in with a key or a ticket at the upgrade. Messages are
 * handled one after the other, so answers come in the order of what was asked.
 */
export function openSession(
  deps: SessionDeps,
  connection: SocketConnection,
  {
    name,
    address,
    admitted,
    onWelcomed,
    onClosed,
  }: {
    readonly name: string
    readonly address: string
    readonly admitted: { readonly caller: Caller; readonly plan: SocketPlan } | undefined
    /** It has a key now. */
    onWelcomed(): void
    onClosed(): void
  },
): SocketSession {
  const { clock, log } = deps
  const now = () => clock.nowMilliseconds()
  const authenticateBy = now() + AUTHENTICATE_MILLISECONDS
  let pingAt = now() + PING_MILLISECONDS
  let isAnswered = true
  let holder: Holder | undefined
  let isJoined = false
  /** Where it began: the id of an event, null before the first one. */
  let cursor: string | null = null
  let isOver = false
  let waiting = 0
  let working = Promise.resolve()

  function close(code: CloseCode, reason: string): void {
    if (isOver) return
    isOver = true
    holder?.reader.stop()
    connection.close(code, reason)
  }

  function refuse(refusal: Refusal): void {
    if (isOver) return
    connection.send(said.error(refusal, deps.baseUrl(), now()))
    if (refusal.code === 'RATE_LIMIT' || refusal.code === 'CONNECTION_LIMIT') {
      close(4429, refusal.code)
    }
  }

  function welcome(caller: Caller, plan: SocketPlan): void {
    const release = deps.counts.take(caller, plan)
    const { feed, markets } = deps
    const { accountId } = caller
    const reader = new EventReader({ feed, markets, clock, accountId, connection, form: FRAMES })
    holder = { caller, plan, reader, release }
    onWelcomed()
    connection.send(said.authenticated(caller, now()))
  }

  async function authenticate({ apiKey, ticket }: Extract<Message, { method: 'authenticate' }>) {
    if ((apiKey === undefined) === (ticket === undefined)) {
      throw new Refusal('INVALID_PARAMETERS', { details: { apiKey: 'or ticket, one of them' } })
    }
    const caller =
      ticket === undefined
        ? await deps.admit({ authorization: [`Bearer ${apiKey ?? ''}`], address, tell: NOWHERE })
        : await deps.callerOfTicket(ticket, address)
    const plan = await deps.planOf(caller.plan)
    if (isOver) return
    if (holder === undefined) welcome(caller, plan)
    else if (holder.caller.accountId === caller.accountId) {
      holder = { ...holder, caller, plan }
      connection.send(said.authenticated(caller, now()))
    } else {
      throw new Refusal('INVALID_PARAMETERS', {
        details: { apiKey: 'is of another account than this socket' },
      })
    }
  }

  function demandHolder(): Holder {
    if (holder === undefined) throw new Refusal('AUTHENTICATION_REQUIRED')
    return holder
  }

  async function subscribe({ keys, after }: Extract<Message, { method: 'subscribe' }>) {
    const { caller, reader } = demandHolder()
    const resolved = await resolveKeys(deps, caller.accountId, keys)
    if (new Set([...reader.keys, ...resolved]).size > limits.socketKeysMax) {
      throw new Refusal('INVALID_PARAMETERS', {
        details: { keys: `at most ${limits.socketKeysMax} on one socket` },
      })
    }
    const from = await beginningOf(reader, caller, after)
    if (isOver) return
    reader.want([...reader.keys, ...resolved])
    if (from !== undefined) {
      cursor = from.id
      reader.clear()
    }
    connection.send(said.subscribed(resolved, reader.lastId() ?? cursor, now()))
    if (from === undefined) return
    isJoined = true
    reader.membership.replay(from.sequence)
  }

  /** Where a subscription begins; undefined: where the socket stands already. */
  async function beginningOf(
    reader: EventReader<SocketConnection>,
    { accountId }: Caller,
    after?: string,
  ) {
    if (after !== undefined) {
      const sequence = await sequenceOf(deps.store, accountId, after)
      if (sequence === undefined) throw unknownCursor()
      return { sequence, id: after }
    }
    if (isJoined) return undefined
    const sequence = await reader.membership.newest()
    return { sequence, id: (await idOf(deps.store, accountId, sequence)) ?? null }
  }

  async function unsubscribe({ keys }: Extract<Message, { method: 'unsubscribe' }>) {
    const { caller, reader } = demandHolder()
    const resolved = await resolveKeys(deps, caller.accountId, keys)
    const left = new Set(reader.keys)
    for (const key of resolved) left.delete(key)
    reader.want(left)
    connection.send(said.unsubscribed(resolved, now()))
  }

  async function handle(text: string): Promise<void> {
    const message = deps.readMessage(text)
    switch (message.method) {
      case 'authenticate':
        return await authenticate(message)
      case 'subscribe':
        return await subscribe(message)
      case 'unsubscribe':
        return await unsubscribe(message)
      case 'ping':
        return connection.send(said.pong(now()))
      default:
        return message satisfies never
    }
  }

  function isTooFast(): boolean {
    return holder === undefined
      ? !deps.rates.take(name, limits.socketStrangerMessagesPerSecond)
      : !deps.rates.take(holder.caller.accountId, holder.plan.messagesPerSecond)
  }

  /** So much waits that another word of ours would only lie in our memory. */
  const isFull = () => connection.waitingBytes > limits.socketAheadBytes

  async function work(text: string): Promise<void> {
    try {
      if (!isOver) await handle(text)
    } catch (error) {
      const refusal = refusalFrom(error)
      if (refusal === undefined) log.error({ err: error }, 'a message was not handled')
      refuse(refusal ?? new Refusal('INTERNAL_ERROR'))
    } finally {
      waiting -= 1
    }
  }

  connection.attend({
    onText: (text) => {
      if (isOver) return
      if (isTooFast() || waiting >= limits.socketMessagesWaitingMax) {
        refuse(new Refusal('RATE_LIMIT', { message: 'Too many messages.', retryAfterSeconds: 1 }))
        return
      }
      waiting += 1
      working = working.then(() => work(text))
    },
    messageBytesMax: () =>
      holder === undefined ? limits.socketStrangerBytesMax : limits.bodyBytesMax,
    onPing: (data) => {
      if (isOver) return
      if (isTooFast() || isFull()) connection.destroy()
      else connection.pong(data)
    },
    onPong: () => {
      isAnswered = true
    },
    onDrain: () => holder?.reader.pump(),
    onClosed: () => {
      isOver = true
      holder?.reader.stop()
      holder?.release()
      onClosed()
    },
  })
  if (admitted !== undefined) {
    try {
      welcome(admitted.caller, admitted.plan)
    } catch (error) {
      refuse(refusalFrom(error) ?? new Refusal('INTERNAL_ERROR'))
    }
  }

  return {
    caller: () => holder?.caller,
    look: (nowMilliseconds) => {
      if (isOver) return
      if (holder === undefined) {
        if (isFull()) connection.destroy()
        else if (!hasLeft(authenticateBy, nowMilliseconds, AUTHENTICATE_MILLISECONDS)) {
          close(4401, 'not authenticated in time')
        }
        return
      }
      holder.reader.pump()
      if (holder.reader.isTooFarBehind()) {
        close(4408, `cursor=${holder.reader.lastId() ?? cursor ?? ''}`)
        return
      }
      if (hasLeft(pingAt, nowMilliseconds, PING_MILLISECONDS)) return
      if (!isAnswered) {
        connection.destroy()
        return
      }
      isAnswered = false
      pingAt = nowMilliseconds + PING_MILLISECONDS
      connection.ping()
    },
    expel: () => {
      refuse(new Refusal('UNAUTHORIZED'))
      close(4401, 'the key is no longer valid')
    },
    sendAway: () => close(1012, 'the plan has changed'),
  }
}
