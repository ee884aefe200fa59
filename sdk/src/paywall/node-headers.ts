import type { HeldAnswer } from './held.ts'

/** Of Node's Buffer. */
const ENCODINGS: ReadonlySet<string> = new Set([
  ...['utf8', 'utf-8', 'utf16le', 'utf-16le', 'ucs2', 'ucs-2'],
  ...['latin1', 'binary', 'ascii', 'hex', 'base64', 'base64url'],
])

/** Whether Node writes a text so. */
export function isEncoding(name: string | undefined): boolean {
  return name === undefined || ENCODINGS.has(name.toLowerCase())
}

/** Whether Node sends it as the status of an answer; those below 200 come before one. */
export function isStatus(status: number): boolean {
  return status >= 200 && status <= 999
}

/**
 * Headers in any form that Node takes: an object, pairs, or names and values in turn. What a list names more than once has
 * all its values.
 */
export function headersIn(given: unknown): HeldAnswer['headers'] {
  const merged = new Map<string, readonly [string, string | readonly string[]]>()
  for (const [name, value] of pairsIn(given)) {
    const known = merged.get(name.toLowerCase())
    const all = known === undefined ? value : [known[1], value].flat()
    merged.set(name.toLowerCase(), [name, all])
  }
  return [...merged.values()]
}

function pairsIn(given: unknown): readonly (readonly [string, string | readonly string[]])[] {
  if (typeof given !== 'object' || given === null) return []
  const list: readonly unknown[] | undefined = Array.isArray(given) ? given : undefined
  const pairs =
    list === undefined
      ? Object.entries(given)
      : list.every((each) => Array.isArray(each))
        ? list
        : list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []))
  return pairs.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[String(name), Array.isArray(value) ? value.map(String) : String(value)] as const],
  )
}
