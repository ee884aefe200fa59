import type { Connection } from './connection.ts'
import type { ListEventsAnswer } from './contract/list-events.ts'
import { FlorinError } from './florin-error.ts'
import { isObject } from './is-object.ts'
import { limits } from './limits.ts'

type AccountEvent = ListEventsAnswer['events'][number]

/** One WebSocket of events. */
export interface EventSocket {
  /** @throws {FlorinError} when it is refused. */
  subscribe(
    keys: readonly string[],
    after: string | undefined,
  ): Promise<{ readonly cursor: string | null }>
  /** What comes, until the socket is closed. */
  events(): AsyncGenerator<AccountEvent, void, undefined>
  close(): void
}

/** Opens a socket with a ticket: the key itself is in no address and in no message. */
export async function openEventSocket(
  { baseUrl, clock }: Connection,
  ticket: string,
  signal: AbortSignal | undefined,
): Promise<EventSocket> {
  if (typeof WebSocket === 'undefined') {
    throw new FlorinError({
      code: 'INVALID_SETTING',
      message: 'listen() needs the platform to have WebSocket: Node 22 or a browser',
    })
  }
  const address = `${baseUrl.replace(/^http/i, 'ws')}/data?ticket=${encodeURIComponent(ticket)}`
  const socket = new WebSocket(address)
  const waiting: AccountEvent[] = []
  let subscribed: { readonly cursor: string | null } | undefined
  let failure: FlorinError | undefined
  let isOpen = false
  let isClosed = false
  let heardAt = clock.now()
  let wake = () => {}

  const change = () => wake()
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const end = () => {
    isClosed = true
    change()
    socket.close()
  }

  function take(message: unknown): void {
    if (!isObject(message)) return
    const { type, data } = message
    if (type === 'subscribed') {
      const { cursor } = message
      subscribed = { cursor: typeof cursor === 'string' ? cursor : null }
    } else if (type === 'error') failure ??= failureOf(data)
    else if (isEvent(message)) {
      waiting.push(message)
      // Whoever reads so slowly is better served by what is kept: it comes again after the last event that was read.
      if (waiting.length > limits.eventsWaitingMax) end()
    }
  }

  socket.addEventListener('open', () => {
    isOpen = true
    change()
  })
  socket.addEventListener('message', ({ data }) => {
    heardAt = clock.now()
    if (typeof data === 'string') take(parse(data))
    change()
  })
  socket.addEventListener('error', end)
  socket.addEventListener('close', end)
  signal?.addEventListener('abort', end, { once: true })
  const over = new AbortController()
  const leave = () => {
    over.abort()
    signal?.removeEventListener('abort', end)
  }
  void keepAlive()

  /** A connection that is dead without a word is noticed by its silence. */
  async function keepAlive(): Promise<void> {
    while (!isClosed) {
      await clock.sleep(limits.eventPingMilliseconds, over.signal)
      if (isClosed) return
      if (clock.now() - heardAt > limits.eventSilenceMilliseconds) end()
      else if (isOpen) socket.send('{"method":"ping"}')
    }
  }

  const deadline = clock.after(limits.tryMilliseconds, () => {
    if (!isOpen) end()
  })
  while (!isOpen && !isClosed) await changed()
  deadline()
  if (!isOpen) {
    leave()
    throw new FlorinError({ code: 'NO_ANSWER', message: 'the socket could not be opened' })
  }

  return {
    subscribe: async (keys, after) => {
      socket.send(
        JSON.stringify({ method: 'subscribe', keys, ...(after === undefined ? {} : { after }) }),
      )
      while (subscribed === undefined && failure === undefined && !isClosed) await changed()
      if (failure !== undefined) throw failure
      if (subscribed === undefined) {
        throw new FlorinError({ code: 'NO_ANSWER', message: 'the socket was closed' })
      }
      return subscribed
    },
    events: async function* () {
      for (;;) {
        const event = waiting.shift()
        if (event !== undefined) yield event
        else if (failure !== undefined) throw failure
        else if (isClosed) return
        else await changed()
      }
    },
    close: () => {
      leave()
      end()
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEvent(message: object): message is AccountEvent {
  const { id, sequence, channel, data } = message as Partial<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    typeof sequence === 'number' &&
    typeof channel === 'string' &&
    isObject(data)
  )
}

function failureOf(data: unknown): FlorinError {
  const facts = isObject(data) ? data : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const { code, message, details, docs } = facts
  return new FlorinError({
    code: text(code) ?? 'BAD_ANSWER',
    message: text(message) ?? 'the service refused',
    details: isObject(details) ? details : undefined,
    docs: text(docs),
  })
}
