import { PassThrough } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { Caller } from '../kernel/caller.ts'

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

/** A row whose answer goes on. */
export interface StreamRoute {
  readonly endpoint: Endpoint
  /** Says whether it can begin; a thrown Refusal is the answer. What it gives takes the open stream, and attends it at once. */
  open(request: {
    readonly caller: Caller
    readonly query: URLSearchParams
    readonly headers: IncomingHttpHeaders
  }): Promise<(connection: StreamConnection) => void>
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
