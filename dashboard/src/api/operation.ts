import type { Static, TSchema } from 'typebox'
import type { endpoints } from '@florin/wire/endpoints.ts'
import type { peopleEndpoints } from '@florin/wire/people-endpoints.ts'

type Table = typeof endpoints & typeof peopleEndpoints
type ByName = {
  [K in keyof Table as `${Table[K]['method']} ${Table[K]['path']}`]: Table[K]
}

/** An operation of the API, as documents write it: `POST /payment/send`. */
export type Operation = keyof ByName

/**
 * A value as the page reads it. Money travels as a JSON number (`number | RawJson` in the contract) and is its source text here, so that
 * no digit is lost; an object that is kept as it was sent is a plain one.
 */
export type Read<T> = T extends readonly (infer E)[]
  ? readonly Read<E>[]
  : T extends object
    ? { readonly [K in keyof T]: ReadField<T[K]> }
    : T

type Money = { readonly text: string }
type ReadField<T> = [Extract<T, Money>] extends [never]
  ? Read<T>
  : number extends T
    ? string | Exclude<T, number | Money>
    : Readonly<Record<string, unknown>> | Extract<T, null | undefined>

type Whole<S> = S extends TSchema ? Static<S> : never

/** What an operation answers. */
export type Answer<O extends Operation> = Read<Whole<ByName[O]['answer']>>

/** Of a query: a field that may be left out may also be undefined. */
type Loose<T> = T extends object
  ? { readonly [K in keyof T]: T[K] | (object extends Pick<T, K> ? undefined : never) }
  : T

type Given<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : Partial<T> extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T }

/** What an operation asks for: parts of its path, its query, its body. */
export type Input<O extends Operation> = Given<'params', Whole<ByName[O]['params']>> &
  Given<'query', Loose<Whole<ByName[O]['query']>>> &
  Given<'body', Whole<ByName[O]['body']>> & {
    /** Of a request that may be repeated; each call has its own when left out. */
    readonly idempotencyKey?: string
    readonly signal?: AbortSignal
  }
