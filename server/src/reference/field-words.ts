import type { JsonSchema } from './json-schema.ts'

/** A schema's kind in a few words: `string`, `integer or null`, `array of objects`. */
export function typeWords(schema: JsonSchema): string {
  const { anyOf, oneOf, type } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (oneOf?.some((each) => each.type === 'number')) return 'number or decimal text'
  if (anyOf !== undefined) return anyOf.map(typeWords).join(' or ')
  if (schema.format === 'uri') return 'URL'
  if (type === 'array')
    return schema.items === undefined ? 'array' : `array of ${plural(schema.items)}`
  if (type === 'object' && typeof schema.additionalProperties === 'object') {
    return `map of ${plural(schema.additionalProperties)}`
  }
  if (typeof type === 'object') return type.join(' or ')
  return type ?? 'any'
}

/** What a value must keep to, and what it is when left out, each in a few words. */
export function ruleWords(schema: JsonSchema): readonly string[] {
  const { default: whenLeftOut, maxItems, maxLength, minimum, maximum } = schema
  const bytesMax = schema['x-bytes-max']
  const money = schema.oneOf?.find((each) => each.type === 'number')
  return [
    ...(whenLeftOut === undefined ? [] : [`default ${plainValue(whenLeftOut)}`]),
    ...rangeWords(money?.minimum ?? minimum, money?.maximum ?? maximum),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} entries`]),
    ...(bytesMax === undefined ? [] : [`at most ${bytesMax / 1024} KB`]),
  ]
}

/** The values that an enumeration allows, as text. */
export function allowedValues({ enum: values = [] }: JsonSchema): readonly string[] {
  return values.map(String)
}

/** The fields inside a value: of an object, of each entry of an array, or of the object that may also be null. */
export function innerSchema({
  properties,
  items,
  anyOf,
  ...rest
}: JsonSchema): JsonSchema | undefined {
  if (properties !== undefined) return { properties, ...rest }
  if (items !== undefined) return innerSchema(items)
  return anyOf?.map(innerSchema).find((each) => each !== undefined)
}

const LARGE = 2 ** 31 - 1

function rangeWords(minimum: number | undefined, maximum: number | undefined): readonly string[] {
  // So large that it only keeps a column from overflowing.
  if (maximum !== undefined && maximum >= LARGE) return []
  if (minimum !== undefined && maximum !== undefined)
    return [`${plain(minimum)} to ${plain(maximum)}`]
  if (maximum !== undefined) return [`at most ${plain(maximum)}`]
  return minimum === undefined || minimum === 0 ? [] : [`at least ${plain(minimum)}`]
}

function plainValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Without an exponent. */
function plain(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 18, useGrouping: value >= 10_000 })
}

function plural(schema: JsonSchema): string {
  const words = typeWords(schema)
  return /^(object|string|integer|number|array)$/.test(words) ? `${words}s` : words
}
