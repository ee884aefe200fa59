import { limits } from '../limits.ts'
import type { HeldAnswer, Part } from './held.ts'
import type { NodeResponse } from './node-answer.ts'

/** What became of a handler that answers into the hand. */
export type Held =
  | { readonly kind: 'answered'; readonly answer: HeldAnswer }
  /** The buyer went away before there was an answer. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'too_long' }

export interface Hold {
  /** Resolves once; never rejects. */
  readonly held: Promise<Held>
  /** Lets the response write again. `headers`: those that it had before the handler. */
  release(headers: 'kept' | 'cleared'): void
}

const WRITERS = ['writeHead', 'write', 'end', 'flushHeaders'] as const

/** Lets a handler of Node's `http` answer, and sends none of it. */
export function hold(response: NodeResponse, lengthMax = limits.paywallHeldBytesMax): Hold {
  const before = { ...response.getHeaders() }
  const own = Object.fromEntries(WRITERS.map((name) => [name, Reflect.get(response, name)]))
  const { promise, resolve } = withResolvers<Held>()
  const parts: Part[] = []
  let length = 0
  let hasEnded = false

  const keep = (part: unknown, encoding: unknown) => {
    if (hasEnded) return
    if (typeof part !== 'string' && !(part instanceof Uint8Array)) return
    length += part.length
    if (length > lengthMax) parts.length = 0
    else parts.push([part, typeof encoding === 'string' ? encoding : undefined])
  }
  const callLater = (given: readonly unknown[]) => {
    const call = given.find((each) => typeof each === 'function')
    if (typeof call === 'function') queueMicrotask(() => void Reflect.apply(call, response, []))
  }
  const answered = () => {
    hasEnded = true
    if (length > lengthMax) return resolve({ kind: 'too_long' })
    const { statusCode: status } = response
    resolve({ kind: 'answered', answer: { status, headers: namesOf(response), parts, length } })
  }
  Object.assign(response, {
    writeHead(status: number, ...more: readonly unknown[]) {
      response.statusCode = status
      for (const [name, value] of headersIn(more.at(-1))) response.setHeader(name, value)
      return response
    },
    write(part: unknown, ...more: readonly unknown[]) {
      keep(part, more[0])
      callLater(more)
      return true
    },
    end(...given: readonly unknown[]) {
      keep(given[0], given[1])
      callLater(given)
      answered()
      return response
    },
    flushHeaders: () => undefined,
  })
  response.once('close', () => resolve({ kind: 'gone' }))
  return {
    held: promise,
    release(headers) {
      Object.assign(response, own)
      if (headers === 'kept') return
      for (const name of Object.keys(response.getHeaders())) response.removeHeader(name)
      for (const [name, value] of headersIn(before)) response.setHeader(name, value)
    },
  }
}

function namesOf(response: NodeResponse): HeldAnswer['headers'] {
  return headersIn({ ...response.getHeaders() })
}

/** Headers in any form that Node takes: an object, pairs, or names and values in turn. */
function headersIn(given: unknown): readonly (readonly [string, string | readonly string[]])[] {
  if (typeof given !== 'object' || given === null) return []
  const list: readonly unknown[] | undefined = Array.isArray(given) ? given : undefined
  const pairs =
    list === undefined
      ? Object.entries(given)
      : list.every((each) => Array.isArray(each))
        ? list
        : list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []))
  return pairs.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[String(name), Array.isArray(value) ? value.map(String) : String(value)] as const],
  )
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
