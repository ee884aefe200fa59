import type { Endpoint } from '@florin/wire/endpoint.ts'
import { isRecord } from './record.ts'

type Kind = 'exact' | 'free' | 'text' | 'plain'

/** Walks the fields of a schema, at any depth, and tells each name with its kind. */
function* fieldsOf(schema: unknown): Generator<readonly [name: string, kind: Kind]> {
  if (!isRecord(schema)) return
  for (const [name, field] of Object.entries(
    isRecord(schema['properties']) ? schema['properties'] : {},
  )) {
    yield [name, kindOf(field)]
    yield* fieldsOf(field)
  }
  yield* fieldsOf(schema['items'])
  for (const one of Array.isArray(schema['anyOf']) ? schema['anyOf'] : []) yield* fieldsOf(one)
}

function kindOf(field: unknown): Kind {
  if (!isRecord(field)) return 'plain'
  const { anyOf, type, properties } = field
  if (Array.isArray(anyOf)) return anyOf.map(kindOf).reduce(stronger, 'plain')
  if (type === 'number') return 'exact'
  if (type === 'string') return 'text'
  const empty = type === undefined && !('enum' in field) && !('const' in field)
  return empty || (type === 'object' && properties === undefined) ? 'free' : 'plain'
}

function stronger(one: Kind, other: Kind): Kind {
  return one === 'plain' || (one === 'text' && other !== 'plain') ? other : one
}

/** Of two fields of one name: a text reads the same under any of them. */
function together(one: Kind, other: Kind): Kind {
  if (one === 'text') return other
  return other === 'text' ? one : 'free'
}

function namesOf(rows: readonly Endpoint[], wanted: Kind): readonly string[] {
  const kinds = new Map<string, Kind>()
  for (const { answer, foreignShape } of rows) {
    if (foreignShape) continue
    for (const [name, kind] of fieldsOf(answer)) {
      const before = kinds.get(name) ?? kind
      if (before !== kind && [before, kind].includes('exact') && ![before, kind].includes('text'))
        throw new Error(`"${name}" is money in one answer and something else in another`)
      kinds.set(name, before === kind ? kind : together(before, kind))
    }
  }
  return [...kinds].flatMap(([name, kind]) => (kind === wanted ? [name] : [])).toSorted()
}

/** Names of the fields that count money as a JSON number. A name has one meaning in all answers; else this throws. */
export function exactFields(rows: readonly Endpoint[]): readonly string[] {
  return namesOf(rows, 'exact')
}

/** Names of the fields that hold what is not of the contract. */
export function freeFields(rows: readonly Endpoint[]): readonly string[] {
  return namesOf(rows, 'free')
}
