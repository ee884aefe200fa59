import { isObject } from '../is-object.ts'
import { saidBeside } from './answer-headers.ts'
import type { NodeResponse } from './node-answer.ts'
import { headersIn } from './node-headers.ts'

/** What answers on a stream of HTTP/2, and where it has its headers. Writing on a stream that nobody has answered on responds as well. */
const RESPONDERS = [
  ['respond', 0],
  ['respondWithFile', 1],
  ['respondWithFD', 1],
] as const

/**
 * Has `change` see the headers of whatever answers on the stream below a response of HTTP/2, past the response, which the response itself does
 * as well. What it throws, whoever answers is thrown. Gives what takes it back.
 */
export function onStreamAnswer(
  { stream }: Pick<NodeResponse, 'stream'>,
  change: (headers: unknown) => unknown,
): () => void {
  if (stream === undefined) return () => undefined
  const before = RESPONDERS.map(
    ([name, at]) => [name, at, Reflect.get(stream, name)] as readonly [string, number, unknown],
  )
  for (const [name, at, own] of before) {
    if (typeof own !== 'function') continue
    Object.assign(stream, {
      [name](...given: unknown[]): unknown {
        given[at] = change(given[at])
        return Reflect.apply(own, stream, given)
      },
    })
  }
  return () => {
    for (const [name, , own] of before) Object.assign(stream, { [name]: own })
  }
}

/**
 * Keeps a handler from answering past its response, on the stream of HTTP/2 below it: who answers there is thrown an error, and who only writes breaks
 * the stream, since what pipes has nobody to catch it. Gives what takes it back.
 */
export function holdStream(response: Pick<NodeResponse, 'stream'>): () => void {
  const { stream } = response
  const refusal = () =>
    new Error('an answer by upto is held until it is paid for: write it to the response')
  const letRespond = onStreamAnswer(response, () => {
    throw refusal()
  })
  if (stream === undefined) return letRespond
  const { write, end } = stream
  const breakOff = () => void stream.destroy?.(refusal())
  Object.assign(stream, {
    write() {
      breakOff()
      return false
    },
    end(...given: readonly unknown[]): unknown {
      // Node itself ends a stream that is closed, with nothing to write.
      const [part] = given
      if (part === undefined || part === null || typeof part === 'function') {
        return end?.apply(stream, [...given])
      }
      breakOff()
      return stream
    },
  })
  return () => {
    letRespond()
    Object.assign(stream, { write, end })
  }
}

/** Headers in any form that HTTP/2 takes, and more, past whatever they say under the same names. */
export function withHeaders(given: unknown, more: Readonly<Record<string, string>>): object {
  const names = new Set(Object.keys(more).map((name) => name.toLowerCase()))
  const there = new Map(headersIn(given).map(([name, value]) => [name.toLowerCase(), value]))
  const own = Array.isArray(given) ? Object.fromEntries(headersIn(given)) : { ...asObject(given) }
  for (const name of Object.keys(own)) if (names.has(name.toLowerCase())) delete own[name]
  for (const [name, value] of Object.entries(more)) {
    const known = there.get(name.toLowerCase())
    own[name.toLowerCase()] = saidBeside(name, value, known && [known].flat().join(', '))
  }
  return own
}

/** With its symbols, by which HTTP/2 is told which headers are secret. */
function asObject(given: unknown): Record<string, unknown> {
  return isObject(given) ? given : {}
}

/** The status that has gone out, of HTTP/2 also where the response knows nothing of it. */
export function statusOf({ statusCode, stream }: NodeResponse): number {
  const sent: unknown = stream === undefined ? undefined : Reflect.get(stream, 'sentHeaders')
  const status = isObject(sent) ? Number(sent[':status']) : NaN
  return Number.isNaN(status) ? statusCode : status
}
