import { catalogue } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { ApiError, noAnswer } from './api-error.ts'
import { asAnswer } from './as-answer.ts'
import { readJson } from './money-fields.ts'
import type { Answer, Input, Operation } from './operation.ts'

/** The way to the service. What an operation takes and gives is read from the contract. */
export interface Api {
  /** Throws ApiError. */
  call<O extends Operation>(
    operation: O,
    ...input: Partial<Input<O>> extends Input<O> ? [input?: Input<O>] : [input: Input<O>]
  ): Promise<Answer<O>>
  /** The same where it was seen to before that the input is there if it must be. */
  ask<O extends Operation>(operation: O, input: Input<O> | undefined): Promise<Answer<O>>
}

export interface ApiOptions {
  readonly fetch: typeof globalThis.fetch
  /** Of the session, once there is one. */
  csrfToken(): string | undefined
  /** The service does not know the session any more that there is now. */
  onSignedOut(): void
}

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

/** Opens the way with the session's cookie; what changes something also carries its token. */
export function openApi({ fetch, csrfToken, onSignedOut }: ApiOptions): Api {
  const ask: Api['ask'] = async (operation, input) => {
    const [method = 'GET', path = ''] = operation.split(' ')
    const { params = {}, query = {}, body, idempotencyKey, signal }: Parts = input ?? {}
    const headers = new Headers({ accept: 'application/json' })
    const token = csrfToken()
    if (method !== 'GET') headers.set('x-csrf-token', token ?? '')
    if (method === 'POST') headers.set('idempotency-key', idempotencyKey ?? newKey())
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await fetch(addressOf(path, params, query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw noAnswer()
    })
    const answer = readAnswer(await response.text())
    if (response.ok && answer !== undefined) return asAnswer(answer)
    const error = errorOf(answer, response)
    // Whoever signed in while it was on its way is not signed out by what it says of before.
    const isOfNow = token === csrfToken()
    if (error.code === 'UNAUTHORIZED' && operation !== 'POST /session' && isOfNow) onSignedOut()
    throw error
  }
  return { ask, call: (operation, ...[input]) => ask(operation, input) }
}

/** 128 random bits: also where the page is not in a secure context and has no randomUUID. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The address of an operation; fields of the query that are undefined or empty are left out. */
export function addressOf(
  path: string,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') given.set(name, String(value))
  }
  const search = given.toString()
  return search === '' ? `/api${filled}` : `/api${filled}?${search}`
}

function readAnswer(text: string): object | undefined {
  try {
    const value = readJson(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(catalogue, code)

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

function errorOf(answer: object | undefined, response: Response): ApiError {
  const { status } = response
  const body = fieldsOf(answer)
  const { code, message, details, requestId, docs, retryAfter } = fieldsOf(body['error'])
  if (!isErrorCode(code) || typeof message !== 'string') {
    const message = `The service answered with status ${status} and nothing that can be read.`
    return new ApiError({ code: 'INTERNAL_ERROR', status, message })
  }
  return new ApiError({
    code,
    message,
    status,
    details: fieldsOf(details),
    requestId: typeof requestId === 'string' ? requestId : null,
    docs: typeof docs === 'string' ? docs : null,
    retryAfterSeconds: typeof retryAfter === 'number' ? retryAfter : null,
  })
}
