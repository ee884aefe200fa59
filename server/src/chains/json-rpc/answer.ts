import { NodeFailure } from '../chain.ts'

const SHOWN_CHARACTERS = 40

/** A node's answer is not what its method promises. */
export function malformed(what: string, value: unknown): NodeFailure {
  const shown = typeof value === 'string' ? value.slice(0, SHOWN_CHARACTERS) : typeof value
  return new NodeFailure(`the node's ${what} is malformed: ${shown}`)
}

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads an object, else throws NodeFailure. */
export function fieldsFrom(value: unknown, what: string): Fields {
  if (!isObject(value)) throw malformed(what, value)
  return value
}

/** Reads an array, else throws NodeFailure. */
export function listFrom(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(what, value)
  return value
}
