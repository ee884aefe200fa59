import type { Static, TObject, TSchema } from 'typebox'
import { published } from '@florin/wire/endpoint.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Caller, Person } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Client } from './client-address.ts'
import type { Checked, Faults, Rules } from './rules.ts'
import { sourceShape } from './source-shape.ts'
import type { SourceShape } from './source-shape.ts'
import { limits } from '../kernel/limits.ts'
import { JsonProblem, readStrictJson } from './strict-json.ts'
import type { StrictJson } from './strict-json.ts'
import { writeJson } from './write-json.ts'

/** What a handler gets: everything parsed and checked against the row, nothing of the HTTP library. */
export interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Source text of a kept top-level field (`metadata`), byte for byte as sent; undefined when it was left out. */
  rawText(field: string): string | undefined
  readonly caller: Caller
  /** The same; undefined for a session without an account. */
  readonly knownCaller: Caller | undefined
  /** Whose session it is; undefined for a key. */
  readonly person: Person | undefined
  readonly client: Client
  /** Every value of a header, by its name in small letters. */
  header(name: string): readonly string[]
  readonly requestId: string
  readonly idempotencyKey?: string
  /** Aborts when the connection is gone before the answer was written. Made when it is read. */
  readonly clientGone: AbortSignal
  /** Aborts when the service starts to stop. */
  readonly closing: AbortSignal
  /** Aborts at either: a wait should end and say what it has. Made when it is read. */
  readonly over: AbortSignal
  /**
   * Throws what the gate would throw by now, when whoever asks was ended meanwhile: asked by what signs after a wait, so that an end holds within
   * the time that is promised. Costs nothing while the gate's word is fresh.
   */
  demandAdmitted(): Promise<void>
}

/** What a handler gives: the facts of its row's answer. The edge adds `success: true` and `timestamp`. */
export interface Answer<Body> {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body
  /** Called when the connection was gone before this answer was written completely. Must not throw. */
  readonly undelivered?: () => void
}

/** A request as the server hands it to a route, nothing checked yet. */
export interface Incoming {
  readonly params: unknown
  readonly query: unknown
  readonly bytes: Uint8Array | undefined
  readonly caller: Caller | undefined
  readonly person: Person | undefined
  readonly client: Client
  header(name: string): readonly string[]
  readonly requestId: string
  readonly idempotencyKey: string | undefined
  clientGone(): AbortSignal
  readonly closing: AbortSignal
  over(): AbortSignal
  demandAdmitted(): Promise<void>
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly undelivered?: (() => void) | undefined
}

/** A row of the endpoint table with the code that answers it. */
export interface Route {
  readonly endpoint: Endpoint
  /** Compiles the row's schemas, once, at start. */
  open(tools: RouteTools): (incoming: Incoming) => Promise<Outgoing>
}

export interface RouteTools {
  readonly bodyRules: Rules
  readonly queryRules: Rules
  readonly clock: Clock
  readonly checkAnswers: boolean
}

/** A handler's answer does not fit its own row: a bug, found by the tests that ask for the check. */
class AnswerMismatch extends Error {
  override readonly name = 'AnswerMismatch'
}

/** Binds a handler to a row. Literal values in its answer need `as const`. */
export function route<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Reply extends TObject,
>(
  endpoint: Endpoint<Params, Query, Body, Reply>,
  handler: (
    call: Call<Static<Params>, Static<Query>, Static<Body>>,
  ) => Promise<Answer<Static<Reply>>>,
): Route {
  return {
    endpoint,
    open: ({ bodyRules, queryRules, clock, checkAnswers }) => {
      const checkParams = queryRules(endpoint.params)
      const checkQuery = queryRules(endpoint.query)
      const checkBody = bodyRules(endpoint.body)
      const checkReply = checkAnswers ? bodyRules(published(endpoint)) : undefined
      const shape = sourceShape(endpoint.body)
      const nodesMax = endpoint.longBody ? limits.longJsonNodesMax : limits.jsonNodesMax
      // A POST without a body says what `{}` says. Not so a PUT, which would put nothing in the place of something.
      const nothing = endpoint.method === 'POST' ? {} : undefined
      return async (incoming) => {
        const params = demand(checkParams(incoming.params, 'path'))
        const query = demand(checkQuery(incoming.query, 'query'))
        const { value = nothing, kept } = readBody(incoming.bytes, shape, nodesMax)
        const body = demand(checkBody(value, 'body'))
        const answer = await handler(new IncomingCall(incoming, { params, query, body, kept }))
        const timestamp = clock.nowMilliseconds()
        const text = writeJson(
          endpoint.foreignShape ? answer.body : { success: true, ...answer.body, timestamp },
        )
        const checked = checkReply?.(JSON.parse(text), 'answer')
        if (checked?.ok === false) {
          throw new AnswerMismatch(`${endpoint.id}: ${writeJson(checked.faults)}`)
        }
        return {
          status: answer.status ?? 200,
          headers: answer.headers ?? NONE,
          text,
          undelivered: answer.undelivered,
        }
      }
    },
  }
}

const NONE: Readonly<Record<string, string>> = {}

interface Parsed<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly kept: ReadonlyMap<string, string>
}

/** A class, since getters of a literal are made anew for every request: 2 us. */
class IncomingCall<Params, Query, Body> implements Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly idempotencyKey?: string
  readonly #kept: ReadonlyMap<string, string>
  readonly #incoming: Incoming

  constructor(incoming: Incoming, { params, query, body, kept }: Parsed<Params, Query, Body>) {
    this.params = params
    this.query = query
    this.body = body
    this.#kept = kept
    this.#incoming = incoming
    if (incoming.idempotencyKey !== undefined) this.idempotencyKey = incoming.idempotencyKey
  }

  // Handlers take functions out of the call, so what they get must not need it.
  get rawText(): (field: string) => string | undefined {
    const kept = this.#kept
    return (field) => kept.get(field)
  }

  get header(): (name: string) => readonly string[] {
    const incoming = this.#incoming
    return (name) => incoming.header(name)
  }

  get caller(): Caller {
    const { caller } = this.#incoming
    if (caller === undefined) throw new Error('an operation without an account has no caller')
    return caller
  }

  get knownCaller(): Caller | undefined {
    return this.#incoming.caller
  }

  get person(): Person | undefined {
    return this.#incoming.person
  }

  get client(): Client {
    return this.#incoming.client
  }

  get requestId(): string {
    return this.#incoming.requestId
  }

  get clientGone(): AbortSignal {
    return this.#incoming.clientGone()
  }

  get closing(): AbortSignal {
    return this.#incoming.closing
  }

  get over(): AbortSignal {
    return this.#incoming.over()
  }

  get demandAdmitted(): () => Promise<void> {
    const incoming = this.#incoming
    return () => incoming.demandAdmitted()
  }
}

function readBody(
  bytes: Uint8Array | undefined,
  shape: SourceShape | undefined,
  nodesMax: number,
): StrictJson {
  if (bytes === undefined || bytes.length === 0) return { value: undefined, kept: new Map() }
  try {
    return readStrictJson(bytes, shape, nodesMax)
  } catch (error) {
    if (error instanceof JsonProblem) throw invalid({ [error.field]: error.rule })
    throw error
  }
}

function demand<T>(checked: Checked<T>): T {
  if (!checked.ok) throw invalid(checked.faults)
  return checked.value
}

function invalid(faults: Faults): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: faults })
}
