import { Ajv } from 'ajv'
import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'
import { compareDecimals, isDecimal, isShare, withoutExponent } from '@florin/wire/decimal.ts'
import type { MoneyBounds } from '@florin/wire/fields.ts'

/** Each bad field and the rule it broke, in plain words. */
export type Faults = Readonly<Record<string, string>>

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: Faults }

/** Checks a value against a schema. `where` names the whole when no field is to blame. */
export type Check<T> = (value: unknown, where: string) => Checked<T>

const FAULTS_MAX = 20
const NUL_RULE = 'must not have a NUL character'
const TWICE_RULE = 'must be given once'
const ENDLESS_RULE = 'must be a number that a double can hold'
const HTTP_URL = /^https?:\/\/[^\s]+$/i

/** Compiles a schema into a check. */
export type Rules = <S extends TSchema>(schema: S) => Check<Static<S>>

/** For bodies and answers: nothing is coerced, removed or filled in. */
export function bodyRules(): Rules {
  return rules(false)
}

/**
 * For query strings and path parts, where a number arrives as text, and an amount as a program writes numbers: with an exponent, where JSON would have
 * one. No text may have a NUL: PostgreSQL keeps none. No field that holds one value may be given twice. No number may be endless, as `1e400` and
 * `Infinity` are: the validator reads them as numbers and then asks no bounds of them.
 */
export function queryRules(): Rules {
  const compile = rules(true)
  return (schema) => {
    const check = compile(schema)
    const fields = fieldsOf(schema)
    return (value, where) => {
      const given: readonly [string, unknown][] =
        typeof value === 'object' && value !== null ? Object.entries(value) : []
      const bad = given.flatMap(([name, text]): readonly (readonly [string, string])[] => {
        if (typeof text === 'string' && text.includes('\0')) return [[name, NUL_RULE]]
        const field = fields.get(name)
        const isTwice = Array.isArray(text) && field?.holds === 'one'
        if (isTwice) return [[name, TWICE_RULE]]
        const isEndless = field?.isNumber === true && Math.abs(Number(text)) === Infinity
        return isEndless ? [[name, ENDLESS_RULE]] : []
      })
      if (bad.length === 0) return check(plainAmounts(given, fields) ?? value, where)
      const named = Object.fromEntries(bad)
      const rest = check(Object.fromEntries(given.filter(([name]) => !(name in named))), where)
      return { ok: false, faults: rest.ok ? named : { ...rest.faults, ...named } }
    }
  }
}

interface QueryField {
  readonly holds: 'one' | 'several'
  readonly isMoney: boolean
  readonly isNumber: boolean
}

function fieldsOf(schema: TSchema): ReadonlyMap<string, QueryField> {
  const properties = member(schema, 'properties')
  const all = typeof properties === 'object' && properties !== null ? properties : {}
  return new Map(
    Object.entries(all).map(([name, field]) => {
      const type = member(field, 'type')
      const holds = type === 'array' ? 'several' : 'one'
      const isNumber = type === 'integer' || type === 'number'
      return [name, { holds, isMoney: member(field, 'money') !== undefined, isNumber }]
    }),
  )
}

/** The same with each amount as a plain decimal; undefined where there is none. */
function plainAmounts(
  given: readonly [string, unknown][],
  fields: ReadonlyMap<string, QueryField>,
): object | undefined {
  if (!given.some(([name]) => fields.get(name)?.isMoney)) return undefined
  return Object.fromEntries(
    given.map(([name, text]) => {
      const isAmount = typeof text === 'string' && fields.get(name)?.isMoney === true
      return [name, isAmount ? withoutExponent(text) : text]
    }),
  )
}

function rules(coerceTypes: boolean): Rules {
  const ajv = new Ajv({ allErrors: true, verbose: true, coerceTypes, strict: true })
  ajv.addKeyword({
    keyword: 'money',
    schemaType: 'object',
    validate: (bounds: MoneyBounds, value: unknown) =>
      typeof value === 'string' &&
      ((isDecimal(value) && within(value, bounds)) || (bounds.orShare === true && isShare(value))),
  })
  ajv.addKeyword({
    keyword: 'httpUrl',
    schemaType: 'boolean',
    type: 'string',
    validate: (_: boolean, value: string) => HTTP_URL.test(value) && URL.canParse(value),
  })
  ajv.addKeyword({
    keyword: 'absent',
    schemaType: 'boolean',
    // Some clients write an object into every POST; an empty one says nothing that could be passed over.
    validate: (_: boolean, value: unknown) =>
      value === undefined ||
      (typeof value === 'object' && value !== null && !Array.isArray(value) && isEmpty(value)),
  })
  // Held by the JSON reader, which has the source text.
  ajv.addKeyword({ keyword: 'keptBytesMax', schemaType: 'number' })
  return <S extends TSchema>(schema: S) => {
    const validate: ValidateFunction<Static<S>> = ajv.compile<Static<S>>(schema)
    return (value, where) =>
      validate(value)
        ? { ok: true, value }
        : { ok: false, faults: plainWords(validate.errors ?? [], where) }
  }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

function within(value: string, { minimum, maximum }: MoneyBounds): boolean {
  if (minimum !== undefined && compareDecimals(value, minimum) < 0) return false
  return maximum === undefined || compareDecimals(value, maximum) <= 0
}

function plainWords(errors: readonly ErrorObject[], where: string): Faults {
  const faults = new Map<string, string>()
  for (const error of errors) {
    if (faults.size === FAULTS_MAX) break
    const field = fieldOf(error) || where
    if (!faults.has(field)) faults.set(field, ruleOf(error))
  }
  return Object.fromEntries(faults)
}

/** `/limits/0/perDay` is `limits[0].perDay`; a missing or unknown field is named itself. */
function fieldOf({ instancePath, params, keyword }: ErrorObject): string {
  const own: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : undefined
  return [...instancePath.split('/').slice(1), ...(typeof own === 'string' ? [own] : [])]
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^[0-9]+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

function ruleOf({ keyword, params, parentSchema = {}, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'unknown field'
    case 'type':
      return `must be ${article(params['type'])}`
    case 'enum':
      return `must be one of ${list(params['allowedValues'])}`
    case 'money':
      return moneyRule(parentSchema['money'], data)
    case 'httpUrl':
      return 'must be an absolute http or https URL'
    case 'minimum':
    case 'maximum':
      return range(parentSchema['minimum'], parentSchema['maximum'])
    case 'minLength':
      return params['limit'] === 1
        ? 'must not be empty'
        : `must have at least ${word(params['limit'])} characters`
    case 'maxLength':
      return `must have at most ${word(params['limit'])} characters`
    case 'minItems':
      return params['limit'] === 1
        ? 'must not be empty'
        : `must have at least ${word(params['limit'])} entries`
    case 'maxItems':
      return `must have at most ${word(params['limit'])} entries`
    case 'absent':
      return 'this operation takes no body'
    default:
      return 'is not valid'
  }
}

function moneyRule(bounds: unknown, data: unknown): string {
  if (member(bounds, 'orShare') === true) {
    return 'must be a plain decimal number, such as 0.25, or a part up to 100%, such as 50%'
  }
  if (typeof data !== 'string' || !isDecimal(data)) {
    return 'must be a plain decimal number, such as 0.25'
  }
  return range(member(bounds, 'minimum'), member(bounds, 'maximum'))
}

function range(minimum: unknown, maximum: unknown): string {
  if (minimum === undefined) return `must be at most ${word(maximum)}`
  if (maximum === undefined) return `must be at least ${word(minimum)}`
  return `must be between ${word(minimum)} and ${word(maximum)}`
}

function article(type: unknown): string {
  return `${/^[aio]/.test(word(type)) ? 'an' : 'a'} ${word(type)}`
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.map(word).join(', ') : word(values)
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** What a schema holds here is text or a number. */
function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : 'something else'
}
