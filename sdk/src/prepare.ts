import type { Connection, Message } from './connection.ts'
import { isVisible } from './connection.ts'
import { operations } from './contract/operations.ts'
import type { Operations } from './contract/shapes.ts'
import { FlorinError } from './florin-error.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { requestUrl } from './request-url.ts'

type Given<Value, Name extends string> = [Value] extends [undefined]
  ? { readonly [name in Name]?: undefined }
  : { readonly [name in Name]: Value }

/** What an operation is called with. */
export type Input<Id extends keyof Operations> = Given<Operations[Id]['parts'], 'parts'> &
  Given<Operations[Id]['body'], 'body'> & { readonly query?: Operations[Id]['query'] | undefined }

interface AnyInput {
  readonly parts?: Readonly<Record<string, string>> | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

export interface Prepared {
  readonly url: string
  readonly message: Message
  readonly idempotencyKey: string | undefined
}

/**
 * The request of a call, made once and sent the same on every try: whoever changes the object meanwhile changes
 * nothing. @throws {FlorinError} INVALID_SETTING
 */
export function prepare(
  { baseUrl }: Connection,
  id: keyof Operations,
  { parts, query, body }: AnyInput,
  givenKey: string | undefined,
): Prepared {
  const { method, path, repeat } = operations[id]
  const idempotencyKey = repeat === 'with its key' ? (givenKey ?? newIdempotencyKey()) : undefined
  if (idempotencyKey !== undefined && !isVisible(idempotencyKey)) {
    const message = 'idempotencyKey must be 1 to 255 visible ASCII characters'
    throw new FlorinError({ code: 'INVALID_SETTING', message })
  }
  return {
    url: requestUrl(baseUrl, path, { parts, query }),
    idempotencyKey,
    message: {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  }
}
