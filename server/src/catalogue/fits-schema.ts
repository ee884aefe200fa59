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

/** So many characters are read, or names looked at, in the time of a step. */
const UNITS_PER_STEP = 8

/** Counts a step, and what there is to go through at it: a stranger may let one piece be looked at again and again. */
function step(work: Work, units = 0): void {
  work.stepsLeft -= 1 + Math.ceil(units / UNITS_PER_STEP)
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

function fieldsIn(value: unknown, work: Work): Fields | undefined {
  const fields = fieldsOf(value)
  if (fields !== undefined) step(work, Object.keys(fields).length)
  return fields
}

function fits(schema: unknown, value: unknown, work: Work): boolean {
  step(work)
  if (typeof schema === 'boolean') return schema
  const rules = fieldsIn(schema, work)
  if (rules === undefined || work.depth >= limits.catalogueSchemaDepthMax) {
    throw new Unclear('no schema, or one without an end')
  }
  work.depth += 1
  const isFit =
    fitsType(rules['type'], value, work) &&
    fitsValue(rules, value, work) &&
    fitsText(rules, value, work) &&
    fitsNumber(rules, value) &&
    fitsItems(rules, value, work) &&
    fitsProperties(rules, value, work) &&
    fitsTogether(rules, value, work)
  work.depth -= 1
  return isFit
}

function fitsType(type: unknown, value: unknown, work: Work): boolean {
  if (type === undefined) return true
  const types = listOf(type)
  step(work, types.length)
  return types.some((name) => {
    switch (name) {
      case 'integer':
        return Number.isInteger(value)
      case 'null':
        return value === null
      case 'array':
        return Array.isArray(value)
      case 'object':
        return typeof value === 'object' && value !== null && !Array.isArray(value)
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

function fitsText({ minLength, maxLength }: Fields, value: unknown, work: Work): boolean {
  if (typeof value !== 'string' || (minLength === undefined && maxLength === undefined)) return true
  step(work, value.length)
  return within([...value].length, minLength, maxLength)
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
  const fields = fieldsIn(value, work)
  if (fields === undefined) return true
  const names = Object.keys(fields)
  const required: readonly unknown[] = Array.isArray(rules['required']) ? rules['required'] : []
  step(work, names.length + required.length)
  if (!within(names.length, rules['minProperties'], rules['maxProperties'])) return false
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(fields, name)))
    return false
  const more = rules['additionalProperties']
  const known = fieldsIn(rules['properties'], work) ?? {}
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
  step(work, reference.length)
  let node = work.root
  for (const part of reference.slice('#/'.length).split('/')) {
    step(work)
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const next: unknown = Array.isArray(node) ? node[Number(name)] : fieldsIn(node, work)?.[name]
    if (next === undefined) throw new Unclear('refers to nothing')
    node = next
  }
  return node
}

function isSame(one: unknown, other: unknown, work: Work): boolean {
  step(work, typeof one === 'string' ? one.length : 0)
  if (Object.is(one, other) || one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))]
  step(work, left.length + right.size)
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
