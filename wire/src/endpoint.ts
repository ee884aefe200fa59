import Type from 'typebox'
import type { TObject, TSchema } from 'typebox'
import type { Deprecation } from './deprecation.ts'
import type { ErrorCode } from './errors.ts'
import { Exactly, Milliseconds, Said } from './fields.ts'
import type { Plan, Scope } from './plan.ts'
import type { Role } from './role.ts'

/**
 * A key with that scope and plan, or a session in an account whose role has the scope. With `roles`, sessions of exactly these
 * roles instead, whatever scopes a role has.
 */
export interface KeyNeeds {
  readonly scope: Scope
  readonly plan: Plan
  readonly roles?: readonly Role[]
}

/**
 * A person with a session; no key opens it. `anyone`: whoever is signed in. `member`: in an account, whatever the role. `owner`: an
 * owner of the account. `operator`: whoever runs the installation, with or without an account.
 */
export interface SessionNeeds {
  readonly session: 'anyone' | 'member' | 'owner' | 'operator'
}

/** What an operation asks of its caller. */
export type Needs = KeyNeeds | SessionNeeds

/** One operation of the API. Served at its path and under /api; both spellings are one operation. */
export interface Endpoint<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Reply extends TObject = TObject,
> {
  /** The operation's name: scope of idempotency keys, OpenAPI operationId, method of the client. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Bare path with `{name}` for each part that varies. */
  readonly path: string
  readonly summary: string
  /** Null: nobody is asked who they are. */
  readonly needs: Needs | null
  /** Takes an Idempotency-Key. */
  readonly idempotent: boolean
  readonly params: Params
  readonly query: Query
  /** `noBody` where the operation takes none. */
  readonly body: Body
  /** The body may be twice as long as others', and hold twice as many values. */
  readonly longBody?: true
  /** The facts of an answer; what goes out is `published(endpoint)`. */
  readonly answer: Reply
  /** Another protocol says what the answer looks like: it goes out as it is, without `success` and `timestamp` of ours. */
  readonly foreignShape?: true
  /** The answer has no end: blocks of server-sent events, each with an object of `answer` as its data. */
  readonly stream?: true
  /** Codes of its own, beside those that every operation may answer. */
  readonly fails: readonly ErrorCode[]
  /** Present when callers should move on; every answer says so. */
  readonly deprecated?: Deprecation
}

/** Of an operation without a body: nothing may arrive. */
export const noBody = Type.Unsafe<undefined>({ absent: true })

/** What a row has unless it says otherwise: nothing to read, nothing of its own to fail with. */
export const bare = {
  idempotent: false,
  params: Exactly({}),
  query: Exactly({}),
  body: noBody,
  fails: [],
} as const

/** An answer as it goes out: every one of ours also carries `success` and the time at which it was made. */
export function published({
  answer,
  foreignShape,
}: Pick<Endpoint, 'answer' | 'foreignShape'>): TObject {
  if (foreignShape) return answer
  return Exactly({
    success: Type.Literal(true, { description: 'An error has `false` here.' }),
    ...answer.properties,
    timestamp: Said('When this was answered, Unix milliseconds.', Milliseconds),
  })
}
