import type { Connection, Message } from './connection.ts'
import { isObject } from './is-object.ts'
import { limits } from './limits.ts'
import { readAnswer } from './read-answer.ts'

type Fields = Readonly<Record<string, unknown>>

/** A request that was not answered as it should. */
export type Failed =
  | {
      readonly kind: 'refused'
      readonly status: number
      /** Undefined when the answer was not one of ours: a proxy spoke. */
      readonly error: Fields | undefined
      readonly retryAfterSeconds: number | undefined
    }
  | {
      readonly kind: 'lost'
      readonly reason: string
      /** False: it certainly never left. */
      readonly sent: boolean
    }

export type Outcome = { readonly kind: 'answered'; readonly answer: Fields } | Failed

export interface Try {
  readonly url: string
  readonly message: Message
  /** The answer has another protocol's shape. */
  readonly foreign: boolean
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
}

/** Codes of the system for a connection that never came about, and what fetch says of a port that it blocks. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'bad port']

/** Sends one request and reads its answer, at most so long. Ends as `lost` when the signal aborts. */
export async function tryOnce(connection: Connection, given: Try): Promise<Outcome> {
  const { url, message, foreign, milliseconds, signal } = given
  const controller = new AbortController()
  const stop = () => controller.abort()
  const cancel = connection.clock.after(milliseconds, stop)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted === true) stop()
  try {
    const response = await connection.request(url, message, controller.signal)
    return await read(response, foreign)
  } catch (error) {
    if (controller.signal.aborted) {
      const seconds = Math.ceil(milliseconds / 1000)
      return { kind: 'lost', reason: `no answer within ${seconds} s`, sent: true }
    }
    // The error itself is not passed on: what a fetch of somebody else puts into it may hold our headers.
    const code = codeOf(error)
    const reason = `nobody answers at ${connection.baseUrl}${code === undefined ? '' : ` (${code})`}`
    return { kind: 'lost', reason, sent: code === undefined || !NEVER_SENT.includes(code) }
  } finally {
    cancel()
    signal?.removeEventListener('abort', stop)
  }
}

async function read(response: Response, foreign: boolean): Promise<Outcome> {
  const { status, headers } = response
  if (Number(headers.get('content-length') ?? 0) > limits.answerCharactersMax) {
    return { kind: 'lost', reason: 'the answer is too large', sent: true }
  }
  const text = await response.text()
  const isGood = status >= 200 && status < 300
  const body = parsed(text, isGood && !foreign)
  if (isGood && body !== undefined) return { kind: 'answered', answer: body }
  if (isGood && /json/i.test(headers.get('content-type') ?? '')) {
    return { kind: 'lost', reason: 'the answer was torn', sent: true }
  }
  const error = body?.['error']
  const retryAfterSeconds = secondsOf(headers.get('retry-after'))
  return { kind: 'refused', status, error: isObject(error) ? error : undefined, retryAfterSeconds }
}

function parsed(text: string, exact: boolean): Fields | undefined {
  try {
    const value: unknown = exact ? readAnswer(text) : JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Retry-After in seconds; a date, which proxies may send, is left to our own pauses. RFC 9110, 10.2.3. */
function secondsOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The system's code in what fetch throws under Node, or its words for a port that it blocks; browsers do not tell. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && cause.message === 'bad port') return cause.message
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined
}
