import { PassThrough } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Rules } from './rules.ts'

/** An answer that goes on until one side has had enough: server-sent events. Source: the HTML standard, 9.2. */
export interface StreamConnection {
  /** One block of the stream, as it is. False once nobody reads. */
  write(block: Buffer): boolean
  /** Bytes that wait in this process for the reader. */
  readonly waitingBytes: number
  end(): void
  /** Takes the other side; called once. */
  attend(reader: { onDrain(): void; onClosed(): void }): void
}

/** What a stream is asked with. */
interface StreamRequest<Query> {
  readonly caller: Caller
  readonly query: Query
  readonly headers: IncomingHttpHeaders
}

/** Says whether a stream can begin; a thrown Refusal is the answer. What it gives takes the open stream, and attends it at once. */
type Begin<Query> = (
  request: StreamRequest<Query>,
) => Promise<(connection: StreamConnection) => void>

/** A row whose answer goes on. */
export interface StreamRoute {
  readonly endpoint: Endpoint
  /** Compiles the row's schema, once, at start. */
  open(queryRules: Rules): Begin<unknown>
}

/** Binds what begins a stream to its row: nothing begins with a query that does not fit it. */
export function streamRoute<Query extends TSchema>(
  endpoint: Endpoint<TSchema, Query>,
  begin: Begin<Static<Query>>,
): StreamRoute {
  return {
    endpoint,
    open: (queryRules) => {
      const check = queryRules(endpoint.query)
      return async (request) => {
        const checked = check(request.query, 'query')
        if (!checked.ok) throw new Refusal('INVALID_PARAMETERS', { details: checked.faults })
        return await begin({ ...request, query: checked.value })
      }
    },
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // A proxy that gathers would hold events back.
  'x-accel-buffering': 'no',
}

/** The headers and the body of a stream; the service's end is its end. */
export function serveStream(
  take: (connection: StreamConnection) => void,
  closing: AbortSignal,
): { readonly headers: Readonly<Record<string, string>>; readonly body: PassThrough } {
  const body = new PassThrough()
  const end = () => void body.end()
  closing.addEventListener('abort', end, { once: true })
  body.once('close', () => closing.removeEventListener('abort', end))
  take({
    write: (block) => {
      if (!body.writable) return false
      body.write(block)
      return true
    },
    get waitingBytes() {
      return body.writableLength + body.readableLength
    },
    end,
    attend: ({ onDrain, onClosed }) => {
      body.on('drain', onDrain)
      body.once('close', onClosed)
    },
  })
  return { headers: HEADERS, body }
}
