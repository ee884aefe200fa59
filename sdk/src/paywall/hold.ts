import { openBound } from './held-bound.ts'
import type { HeldAnswer, Part } from './held.ts'
import { headersIn, isEncoding, isStatus } from './node-headers.ts'
import type { NodeResponse } from './node-answer.ts'
import { holdStream } from './stream-answer.ts'

/** What became of a handler that answers into the hand. */
export type Held =
  | { readonly kind: 'answered'; readonly answer: HeldAnswer }
  /** The buyer went away before there was an answer. */
  | { readonly kind: 'gone' }
  /** Known as soon as it is; the handler may go on writing. */
  | { readonly kind: 'too_long' }
  /**
   * Node would not send it: a status that is none, an encoding that is none, a part that is neither text nor bytes, or a refusal after an answer
   * that had begun. The parts of the latter are goods, and nobody pays for a refusal.
   */
  | { readonly kind: 'unsendable' }

export interface Hold {
  /** Resolves once; never rejects. */
  readonly held: Promise<Held>
  /** Resolves when the handler has called `end`; perhaps never. */
  readonly handlerEnded: Promise<void>
  /**
   * Lets the response write again. `kept`: with all headers; `cleared`: with those that it had before the handler; `emptied`:
   * without any.
   */
  release(headers: 'kept' | 'cleared' | 'emptied'): void
}

const WRITERS = ['writeHead', 'write', 'end', 'flushHeaders'] as const

/** Lets a handler of Node's `http` answer, and sends none of it. */
export function hold(response: NodeResponse, lengthMax?: number): Hold {
  const isTooLong = openBound(lengthMax)
  const before = { ...response.getHeaders() }
  const own = Object.fromEntries(WRITERS.map((name) => [name, Reflect.get(response, name)]))
  const { promise, resolve } = withResolvers<Held>()
  const handler = withResolvers<void>()
  const parts: Part[] = []
  let length = 0
  /** Nothing of what comes now is part of the answer. */
  let isOver = false
  let hasHandlerEnded = false
  /** The head that Node would have sent before the first part. */
  let begun: string | undefined
  const headNow = () => `${response.statusCode} ${String(response.getHeaders()['content-length'])}`

  const give = (held: Held) => {
    if (isOver) return
    isOver = true
    if (held.kind !== 'answered') parts.length = 0
    resolve(held)
  }
  const endHandler = () => {
    hasHandlerEnded = true
    handler.resolve()
  }
  const keep = (part: unknown, encoding: unknown) => {
    if (isOver) return
    const named = typeof encoding === 'string' ? encoding : undefined
    const isBytes = part instanceof Uint8Array
    if (!isBytes && (typeof part !== 'string' || !isEncoding(named))) {
      return give({ kind: 'unsendable' })
    }
    if (part.length === 0) return
    begun ??= headNow()
    length += part.length
    if (isTooLong(part.length)) return give({ kind: 'too_long' })
    // The handler may use its buffer again as soon as it was called back.
    parts.push([isBytes ? new Uint8Array(part) : part, named])
  }
  const callLater = (given: readonly unknown[]) => {
    const call = given.find((each) => typeof each === 'function')
    if (typeof call !== 'function') return
    const run = () => void Reflect.apply(call, response, [])
    // Nothing slows down a handler that writes for ever; called back at once it would leave nobody a turn.
    if (isOver) setTimeout(run, 0)
    else queueMicrotask(run)
  }
  const answered = () => {
    // As Node does with one that is a text or broken.
    const status = Math.trunc(response.statusCode)
    const isCutShort = status >= 400 && begun !== undefined && begun !== headNow()
    if (!isStatus(status) || isCutShort) return give({ kind: 'unsendable' })
    const headers = headersIn({ ...response.getHeaders() })
    give({ kind: 'answered', answer: { status, headers, parts, length } })
  }
  const write = (part: unknown, ...more: readonly unknown[]) => {
    keep(part, more[0])
    callLater(more)
    return true
  }
  Object.assign(response, {
    writeHead(status: number, ...more: readonly unknown[]) {
      if (isOver) return response
      response.statusCode = status
      for (const [name, value] of headersIn(more.at(-1))) response.setHeader(name, value)
      return response
    },
    write,
    end(...given: readonly unknown[]) {
      const [part] = given
      if (part !== undefined && part !== null && typeof part !== 'function') keep(part, given[1])
      callLater(given)
      if (!isOver) answered()
      endHandler()
      return response
    },
    flushHeaders: () => undefined,
  })
  const letStreamAnswer = holdStream(response)
  response.once('close', () => give({ kind: 'gone' }))
  // A handler that writes after its end, or after ours, ends nothing else.
  response.on('error', () => undefined)
  return {
    held: promise,
    handlerEnded: handler.promise,
    release(headers) {
      Object.assign(response, own)
      letStreamAnswer()
      // Where ours goes out before the handler is through, what it writes yet goes nowhere.
      if (!hasHandlerEnded) Object.assign(response, { write, end: endOnce(response, endHandler) })
      if (headers === 'kept') return
      for (const name of Object.keys(response.getHeaders())) response.removeHeader(name)
      if (headers === 'emptied') return
      for (const [name, value] of headersIn(before)) response.setHeader(name, value)
    },
  }
}

/** Ends a response with the first call, which is ours; those that come after are the handler's. */
function endOnce(response: NodeResponse, after: () => void) {
  const own: unknown = Reflect.get(response, 'end')
  let isFirst = true
  return (...given: readonly unknown[]) => {
    if (!isFirst) after()
    else if (typeof own === 'function') Reflect.apply(own, response, given)
    isFirst = false
    return response
  }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
