import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { limits } from '../kernel/limits.ts'

/** `unclear`: the schema is none, refers to somewhere else, or takes more steps than it is given. */
export type SchemaVerdict = 'fits' | 'differs' | 'unclear'

class Unclear extends Error {
  override readonly name = 'Unclear'
}

interface Work {
  readonly root: unknown
  stepsLeft: number
  depth: number
}

/**
 * Whether a value is what a JSON Schema describes, in a bounded number of steps: both come from strangers. Keywords that would run a
 * stranger's regular expression, and those that turn an answer around (`not`, `if`), are not looked at, so what a full validator takes is
 * taken. Source: JSON Schema 2020-12.
 */
export function fitsSchema(
  schema: unknown,
  value: unknown,
  stepsMax: number = limits.catalogueSchemaStepsMax,
): SchemaVerdict {
  const work = { root: schema, stepsLeft: stepsMax, depth: 0 }
  try {
    refuseForeign(schema, work)
    return fits(schema, value, work) ? 'fits' : 'differs'
  } catch (error) {
    if (error instanceof Unclear) return 'unclear'
    throw error
  }
}

function step(work: Work): void {
  work.stepsLeft -= 1
  if (work.stepsLeft < 0) throw new Unclear('too much work')
}

/** Nothing is ever fetched, so a schema must be whole. */
function refuseForeign(node: unknown, work: Work): void {
  step(work)
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    const isReference = key === '$ref' || key === '$id'
    if (isReference && !(typeof value === 'string' && value.startsWith('#'))) {
      throw new Unclear('refers to somewhere else')
    }
    refuseForeign(value, work)
  }
}

function fits(schema: unknown, value: unknown, work: Work): boolean {
  step(work)
  if (typeof schema === 'boolean') return schema
  const rules = fieldsOf(schema)
  if (rules === undefined || work.depth >= limits.catalogueSchemaDepthMax) {
    throw new Unclear('no schema, or one without an end')
  }
  work.depth += 1
  const isFit =
    fitsType(rules['type'], value) &&
    fitsValue(rules, value, work) &&
    fitsText(rules, value) &&
    fitsNumber(rules, value) &&
    fitsItems(rules, value, work) &&
    fitsProperties(rules, value, work) &&
    fitsTogether(rules, value, work)
  work.depth -= 1
  return isFit
}

function fitsType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true
  return listOf(type).some((name) => {
    switch (name) {
      case 'integer':
        return Number.isInteger(value)
      case 'null':
        return value === null
      case 'array':
        return Array.isArray(value)
      case 'object':
        return fieldsOf(value) !== undefined
      default:
        return typeof value === name && value !== null
    }
  })
}

function fitsValue(rules: Fields, value: unknown, work: Work): boolean {
  if ('const' in rules && !isSame(rules['const'], value, work)) return false
  const among = rules['enum']
  return !Array.isArray(among) || among.some((each) => isSame(each, value, work))
}

function fitsText({ minLength, maxLength }: Fields, value: unknown): boolean {
  return typeof value !== 'string' || within([...value].length, minLength, maxLength)
}

function fitsNumber(rules: Fields, value: unknown): boolean {
  if (typeof value !== 'number') return true
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = rules
  if (typeof above === 'number' && value <= above) return false
  if (typeof below === 'number' && value >= below) return false
  return within(value, minimum, maximum)
}

function fitsItems(rules: Fields, value: unknown, work: Work): boolean {
  if (!Array.isArray(value)) return true
  const { items, minItems, maxItems } = rules
  if (!within(value.length, minItems, maxItems)) return false
  const first: readonly unknown[] = Array.isArray(rules['prefixItems']) ? rules['prefixItems'] : []
  return value.every((item: unknown, at) => {
    const schema = at < first.length ? first[at] : items
    return schema === undefined || fits(schema, item, work)
  })
}

function fitsProperties(rules: Fields, value: unknown, work: Work): boolean {
  const fields = fieldsOf(value)
  if (fields === undefined) return true
  const names = Object.keys(fields)
  if (!within(names.length, rules['minProperties'], rules['maxProperties'])) return false
  const { required, additionalProperties: more } = rules
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(fields, String(name)))) {
    return false
  }
  const known = fieldsOf(rules['properties']) ?? {}
  // Names that fit a pattern are not looked at, so nobody knows which are additional.
  const isOpen = more === undefined || 'patternProperties' in rules
  return names.every((name) => {
    step(work)
    if (Object.hasOwn(known, name)) return fits(known[name], fields[name], work)
    return isOpen || fits(more, fields[name], work)
  })
}

function fitsTogether(rules: Fields, value: unknown, work: Work): boolean {
  const { allOf, anyOf, oneOf, $ref: reference } = rules
  if (typeof reference === 'string' && !fits(resolve(reference, work), value, work)) return false
  if (Array.isArray(allOf) && !allOf.every((each) => fits(each, value, work))) return false
  // Which of several fits alone depends on what is not looked at: one that fits is enough.
  return [anyOf, oneOf].every(
    (any) => !Array.isArray(any) || any.some((each) => fits(each, value, work)),
  )
}

/** A part of the schema by its JSON Pointer. Source: RFC 6901. */
function resolve(reference: string, work: Work): unknown {
  if (reference === '#') return work.root
  // An anchor's name may stand anywhere: what it names is not looked at.
  if (!reference.startsWith('#/')) return true
  let node = work.root
  for (const part of reference.slice('#/'.length).split('/')) {
    step(work)
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const next: unknown = Array.isArray(node) ? node[Number(name)] : fieldsOf(node)?.[name]
    if (next === undefined) throw new Unclear('refers to nothing')
    node = next
  }
  return node
}

function isSame(one: unknown, other: unknown, work: Work): boolean {
  step(work)
  if (Object.is(one, other) || one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSame(value, right.get(key), work))
  )
}

function within(count: number, minimum: unknown, maximum: unknown): boolean {
  return !(
    (typeof minimum === 'number' && count < minimum) ||
    (typeof maximum === 'number' && count > maximum)
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}
