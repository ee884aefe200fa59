import { DECIMAL, SHARE } from '@florin/wire/decimal.ts'

/** A schema as OpenAPI 3.1 writes it: JSON Schema 2020-12 and nothing of our own but `x-` notes. */
export interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  /** The most bytes of its JSON text. */
  readonly 'x-bytes-max'?: number
}

export interface ConvertOptions {
  /** A name for schemas that stand in the document once; they become references. Left out, everything is written in place. */
  nameOf?(schema: object): string | undefined
  /** Answers may grow new fields, so what reads them must not refuse one. */
  readonly open: boolean
}

/** A keyword that no rule here knows: the document would say something else than the edge checks. */
export class UnknownKeyword extends Error {
  override readonly name = 'UnknownKeyword'
}

const NUMBERS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']
const TEXTS = ['title', 'description', 'type', 'pattern']
const AS_THEY_ARE = new Set([...NUMBERS, ...TEXTS, 'const', 'default', 'required'])
const ANY_NAME = '^.*$'

/** Converts a schema of the endpoint table, whose own keywords stand in wire/src/fields.ts. Throws UnknownKeyword. */
export function toJsonSchema(schema: object, options: ConvertOptions): JsonSchema {
  const converted: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    Object.assign(converted, convertKeyword(keyword, value, options))
  }
  return nullable(anyFields(converted))
}

function convertKeyword(keyword: string, value: unknown, options: ConvertOptions): JsonSchema {
  if (AS_THEY_ARE.has(keyword)) return { [keyword]: value }
  switch (keyword) {
    case 'enum':
      return { ...(isTexts(value) ? { type: 'string' } : {}), enum: listOf(value) }
    case 'properties':
      return {
        properties: Object.fromEntries(
          Object.entries(recordOf(value)).map(([name, field]) => [name, child(field, options)]),
        ),
      }
    case 'additionalProperties':
      if (typeof value === 'boolean') return options.open ? {} : { additionalProperties: value }
      return { additionalProperties: child(value, options) }
    case 'patternProperties':
      return { additionalProperties: child(onlyPattern(value), options) }
    case 'items':
      return { items: child(value, options) }
    case 'anyOf':
      return { anyOf: listOf(value).map((each) => child(each, options)) }
    case 'money':
      return money(recordOf(value))
    case 'httpUrl':
      return { format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }
    case 'keptBytesMax':
      return typeof value === 'number' ? { 'x-bytes-max': value } : unknown(keyword)
    default:
      return unknown(keyword)
  }
}

function child(schema: unknown, options: ConvertOptions): JsonSchema {
  const own = recordOf(schema)
  const name = options.nameOf?.(own)
  if (name === undefined) return toJsonSchema(own, options)
  const { description } = own
  return {
    $ref: `#/components/schemas/${name}`,
    ...(typeof description === 'string' ? { description } : {}),
  }
}

/** A number or decimal text. JSON Schema can bound the number; the text is compared by the edge. */
function money({ minimum = '0', maximum, orShare }: Readonly<Record<string, unknown>>): JsonSchema {
  const upTo = maximum === undefined ? {} : { maximum: Number(maximum) }
  const between =
    maximum === undefined
      ? `at least ${Number(minimum)}`
      : `between ${Number(minimum)} and ${Number(maximum)}`
  return {
    oneOf: [
      { type: 'number', minimum: Number(minimum), ...upTo },
      { type: 'string', pattern: DECIMAL.source, description: `Decimal text, ${between}.` },
      ...(orShare === true
        ? [{ type: 'string', pattern: SHARE.source, description: 'A part of what there is.' }]
        : []),
    ],
  }
}

/** An object of which nothing is said holds anything; generators of clients want to hear it. */
function anyFields(schema: JsonSchema): JsonSchema {
  const { additionalProperties, properties, type } = schema
  return type === 'object' && properties === undefined && additionalProperties === undefined
    ? { ...schema, additionalProperties: true }
    : schema
}

/** `anyOf: [X, null]` of a plain X is one type more. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  const [first, second, ...others] = anyOf ?? []
  if (first === undefined || second?.type !== 'null' || others.length > 0) return schema
  if (typeof first.type !== 'string' || 'enum' in first || 'const' in first) return schema
  return { ...first, ...rest, type: [first.type, 'null'] }
}

function onlyPattern(value: unknown): unknown {
  const [[pattern, schema] = [], ...others] = Object.entries(recordOf(value))
  if (pattern !== ANY_NAME || others.length > 0) return unknown('patternProperties')
  return schema
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return unknown('a schema that is no object')
  return Object.fromEntries(Object.entries(value))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : unknown('a list that is none')
}

function isTexts(value: unknown): boolean {
  return listOf(value).every((each) => typeof each === 'string')
}

function unknown(keyword: string): never {
  throw new UnknownKeyword(`no rule converts ${keyword}`)
}
