import Type from 'typebox'
import type { TSchema } from 'typebox'
import type { RawJson } from './raw-json.ts'

// The kinds of field that JSON Schema has no word for. Each is a keyword of ours; the edge knows what it means.

/** Bounds of a money field in whole units, inclusive, compared as decimals. */
export interface MoneyBounds {
  readonly minimum?: string
  readonly maximum?: string
  /** Also a part of what there is, as text: "50%". More than 0, at most 100. */
  readonly orShare?: true
}

/**
 * Money in a request: a JSON number or a decimal string. What arrives in the handler is its source text, never a float;
 * `0.10` and `"0.10"` both arrive as the string "0.10".
 */
export function MoneyText(bounds: MoneyBounds = {}, description?: string) {
  return Type.Unsafe<string>({
    ...(description === undefined ? {} : { description }),
    money: bounds,
  })
}

/** An amount, or a part of what there is: `12.5`, `"12.5"` or `"50%"`. Arrives as its text. */
export function ShareText(description: string) {
  return Type.Unsafe<string>({
    description,
    money: { minimum: '0', orShare: true } satisfies MoneyBounds,
  })
}

/** A JSON object whose source text is kept beside its value, at most `bytesMax` bytes of UTF-8. */
export function KeptObject(bytesMax: number, description: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description,
    keptBytesMax: bytesMax,
  })
}

/** An absolute http or https URL. */
export function HttpUrl(description: string) {
  return Type.Unsafe<string>({ type: 'string', maxLength: 2048, description, httpUrl: true })
}

/** An amount in an answer: a JSON number with all its digits, in whole units. */
export const ExactNumber = Type.Unsafe<number | RawJson>({ type: 'number' })

/** An object in an answer that is written as it was once sent. */
export const SentObject = Type.Unsafe<object | RawJson>({ type: 'object' })

/** A count of base units as decimal text. */
export const BaseUnitsText = Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' })

/** Unix time in milliseconds. */
export const Milliseconds = Type.Integer({ minimum: 0, description: 'Unix milliseconds.' })

/** The end of the year 9999: the database holds some later ones, which no date of JavaScript does. */
const TIME_MAX = 253_402_300_799_999

/** A time that a caller names. */
export const SentMilliseconds = Type.Integer({
  minimum: 0,
  maximum: TIME_MAX,
  description: 'Unix milliseconds.',
})

/** The same with what it means, for the reference. */
export function Said<S extends TSchema>(description: string, schema: S) {
  return Type.With(schema, { description })
}

/** The schema, or null: what is not known is null, never 0. */
export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** An object of exactly these fields. */
export function Exactly<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}
