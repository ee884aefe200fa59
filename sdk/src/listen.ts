import { call } from './call.ts'
import type { Connection } from './connection.ts'
import type { ListEventsAnswer } from './contract/list-events.ts'
import { openEventSocket } from './event-socket.ts'
import type { EventSocket } from './event-socket.ts'
import { FlorinError } from './florin-error.ts'
import { limits } from './limits.ts'

type AccountEvent = ListEventsAnswer['events'][number]

export interface ListenOptions {
  /** What to hear of: channels such as `payments`, and addresses of the account. Everything unless given. */
  readonly keys?: readonly string[] | undefined
  /** The id of the last event that you have; left out, only what happens from now on. */
  readonly after?: string | undefined
  /** Ends the listening, without an error. */
  readonly signal?: AbortSignal | undefined
  /** Told when it listens, again after every interruption, with the event after which it goes on; null before the first one. */
  readonly onListening?: ((cursor: string | null) => void) | undefined
  /** Told of every connection that was lost and is being made again. */
  readonly onInterrupted?: ((reason: string) => void) | undefined
}

const EVERYTHING = ['payments', 'verifications', 'settlements', 'webhooks']
/** What no later try will change. */
const FINAL = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_PARAMETERS', 'ABORTED'])

interface Position {
  /** The event after which to go on; null: nothing had ever happened; undefined: nobody has said yet. */
  id: string | null | undefined
  sequence: number | undefined
}

/** Events in order, each once, over as many connections as it takes. */
export async function* listen(
  connection: Connection,
  { keys = EVERYTHING, after, signal, onListening, onInterrupted }: ListenOptions,
): AsyncGenerator<AccountEvent, void, undefined> {
  const isAll = EVERYTHING.every((key) => keys.includes(key))
  const position: Position = { id: after, sequence: undefined }
  let pause: number = limits.pauseFirstMilliseconds
  while (!isOver(signal)) {
    let reason = 'the connection was closed'
    try {
      for await (const event of once(connection, { keys, position, signal, onListening })) {
        if (position.sequence !== undefined && event.sequence <= position.sequence) continue
        if (isAll && isGap(position.sequence, event.sequence)) {
          reason = `event ${event.sequence} came after ${position.sequence}`
          break
        }
        pause = limits.pauseFirstMilliseconds
        position.id = event.id
        position.sequence = event.sequence
        yield event
      }
    } catch (error) {
      if (isOver(signal)) return
      if (error instanceof FlorinError && FINAL.has(error.code)) throw error
      reason = error instanceof Error ? error.message : 'the connection failed'
    }
    if (isOver(signal)) return
    onInterrupted?.(reason)
    await connection.clock.sleep(pause * (0.5 + connection.random() / 2), signal)
    pause = Math.min(pause * 2, limits.pauseMaxMilliseconds)
  }
}

const isOver = (signal: AbortSignal | undefined) => signal?.aborted === true
const isGap = (before: number | undefined, next: number) =>
  before !== undefined && next > before + 1

/** The events of one connection; ends when it does. */
async function* once(
  connection: Connection,
  {
    keys,
    position,
    signal,
    onListening,
  }: Pick<ListenOptions, 'signal' | 'onListening'> & {
    readonly keys: readonly string[]
    readonly position: Position
  },
): AsyncGenerator<AccountEvent, void, undefined> {
  for (;;) {
    if (position.id === null) {
      // Nothing had happened when it began to listen, so everything that there is now is new.
      const first = await call(connection, 'listEvents', { query: { limit: 1 } }, { signal })
      const [event] = first.events
      if (event !== undefined && isWanted(event, keys)) yield event
      else position.id = first.nextAfter
    }
    const { ticket } = await call(connection, 'createEventTicket', {}, { signal })
    const socket: EventSocket = await openEventSocket(connection, ticket, signal)
    try {
      const subscribed = await socket.subscribe(keys, position.id ?? undefined)
      // Something has happened since it asked, and this socket begins after it.
      if (position.id === null && subscribed.cursor !== null) continue
      position.id ??= subscribed.cursor
      onListening?.(position.id)
      yield* socket.events()
      return
    } finally {
      socket.close()
    }
  }
}

/** An address is told of by the service alone; here it is passed on rather than missed. */
function isWanted(event: AccountEvent, keys: readonly string[]): boolean {
  return keys.includes(event.channel) || keys.some((key) => !EVERYTHING.includes(key))
}
