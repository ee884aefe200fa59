import { saidBeside } from './answer-headers.ts'
import type { Said } from './demand.ts'
import type { Admitted, Asked } from './admission.ts'
import { headersIn } from './node-headers.ts'
import { onStreamAnswer, statusOf, withHeaders } from './stream-answer.ts'

/** Why nobody has got an answer. */
export const BUYER_GONE = 'the buyer was gone before the answer'
export const CANNOT_BE_SENT = 'the answer could not be sent'
export const ANSWERED_ELSEWHERE = 'somebody else had answered'

/** What is needed of a request of Node's `http` or `http2`, as Express and Fastify have it. */
export interface NodeRequest {
  readonly url?: string | undefined
  readonly method?: string | undefined
  /** Express: the address before routers cut it. */
  readonly originalUrl?: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly socket: object
}

/** What is needed of a stream of Node's `http2`. */
export interface NodeStream {
  readonly destroyed?: boolean
  write?(...given: unknown[]): unknown
  end?(...given: unknown[]): unknown
  destroy?(error: Error): unknown
}

/** What is needed of an answer of Node's `http` or `http2`. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  /** Undefined for HTTP/2, whose stream says it. */
  readonly destroyed?: boolean
  readonly stream?: NodeStream
  readonly socket?: { readonly bytesWritten?: number } | null
  setHeader(name: string, value: string | readonly string[]): unknown
  getHeaders(): Readonly<Record<string, number | string | readonly string[] | undefined>>
  removeHeader(name: string): void
  write(part: string | Uint8Array, encoding?: string): unknown
  end(): unknown
  end(text: string): unknown
  once(event: 'finish' | 'close', listener: () => void): unknown
  on(event: 'error', listener: () => void): unknown
  destroy(): unknown
}

export function askedOf(request: NodeRequest): Asked {
  const header = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' || value === undefined ? value : value.join(', ')
  }
  const scheme = Reflect.get(request.socket, 'encrypted') === true ? 'https' : 'http'
  const path = request.originalUrl ?? request.url ?? '/'
  const { method = 'GET' } = request
  const host = header('host') ?? header(':authority') ?? 'localhost'
  return { url: addressOf(scheme, host, path), method, header }
}

/** What a host is not made of: with a path and `#` in it the path that was asked for would be the fragment of another. */
const NO_HOST = /[/\\?#@]/

/** A request may name its whole address. RFC 9112, 3.2.2. */
function addressOf(scheme: string, host: string, path: string): string {
  if (/^https?:\/\//i.test(path)) return path
  return NO_HOST.test(host) ? `${scheme}://` : `${scheme}://${host}${path}`
}

/** Whether there is nobody any more who could read an answer. */
export function isGone({ destroyed, stream }: NodeResponse): boolean {
  return destroyed === true || stream?.destroyed === true
}

/** Answers in place of a handler that threw where no framework did. */
export function sayBroken(response: NodeResponse): void {
  if (response.writableEnded) return
  if (response.headersSent) return void response.destroy()
  response.statusCode = 500
  // Of the answer that was not made: whoever reads would wait for the rest of it.
  response.removeHeader('content-length')
  response.end()
}

/** Answers, unless somebody else has, or nobody is there. */
export function say(response: NodeResponse, { status, headers, body }: Said): void {
  if (response.headersSent || isGone(response)) return
  response.statusCode = status
  putAll(response, headers)
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}

/** Puts headers on an answer, beside those that are there. */
export function putAll(response: NodeResponse, headers: Readonly<Record<string, string>>): void {
  const there = response.getHeaders()
  for (const [name, value] of Object.entries(headers)) {
    const known = there[name.toLowerCase()]
    const text = known === undefined ? undefined : [known].flat().join(', ')
    response.setHeader(name, saidBeside(name, value, text))
  }
}

/**
 * Puts headers on once more as they go out: a handler that lets caches keep its answers would have them keep what was paid for. Gives the status that
 * has gone out: `statusCode` may be set behind it, as Fastify does under a tracer of a handler that throws after its answer.
 */
function insistOn(response: NodeResponse, headers: Readonly<Record<string, string>>): () => number {
  onStreamAnswer(response, (given) => withHeaders(given, headers))
  let sent: number | undefined
  const status = () => sent ?? statusOf(response)
  const own: unknown = Reflect.get(response, 'writeHead')
  if (typeof own !== 'function') return status
  Object.assign(response, {
    writeHead(said: number, ...more: readonly unknown[]): unknown {
      // What comes before an answer is none.
      if (said < 200) return Reflect.apply(own, response, [said, ...more])
      for (const [name, value] of headersIn(more.at(-1))) response.setHeader(name, value)
      putAll(response, headers)
      const words = typeof more[0] === 'string' ? [more[0]] : []
      const written: unknown = Reflect.apply(own, response, [said, ...words])
      sent = said
      return written
    },
  })
  return status
}

/**
 * Marks the answer as paid for and watches what becomes of it: delivered is an answer below 400 of which bytes have gone
 * out. A buyer that breaks the connection may have read all of them but the last, so it is not asked what it has.
 * False when the buyer is gone already, or somebody else has answered.
 */
export function watch(response: NodeResponse, { headers, ended }: Admitted): boolean {
  if (response.headersSent || isGone(response)) {
    void ended(response.headersSent ? ANSWERED_ELSEWHERE : BUYER_GONE)
    return false
  }
  putAll(response, headers)
  const statusSent = insistOn(response, headers)
  const { socket } = response
  const before = socket?.bytesWritten ?? 0
  const end = () => {
    const status = statusSent()
    return ended(status < 400 ? undefined : `the handler answered ${status}`)
  }
  response.once('finish', () => void end())
  response.once('close', () => {
    if (response.writableFinished) return
    // Where nobody counts bytes, headers that are out count as the answer.
    const isOut = response.headersSent && (socket?.bytesWritten ?? Infinity) > before
    void (isOut ? end() : ended('the connection broke before the answer was out'))
  })
  return true
}
