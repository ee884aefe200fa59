import { limits } from '../kernel/limits.ts'

/**
 * The runtime's reader builds all of a text before anything is counted. A payment has 1,000 characters; 64 KB of brackets would take 2.3 ms, where the
 * strict reader stops after 14 us.
 */
const PLAIN_CHARACTERS_MAX = 4_096
const QUOTE = '"'
const BACKSLASH = '\\'
/** Names that mean something to the language: never an honest request's. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads JSON with the runtime's own reader where that says all there is to say, which is so for nearly every honest request: no escape, and none of
 * what the strict reader refuses. Undefined for anything else, which the strict reader then takes or refuses, and says why. Without escapes nothing is
 * misread: the runtime takes a name's source for the name (strict-json.test.ts has what it does otherwise).
 */
export function readPlainJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > PLAIN_CHARACTERS_MAX || text.includes(BACKSLASH)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const seen = new Seen()
  // A name that is given twice is in the text and not in the value, with what was given for it first.
  return seen.take(value, 0) && seen.strings === countStrings(text) ? { value } : undefined
}

/** Without escapes each string has two quotes, and nothing else has any. */
function countStrings(text: string): number {
  let quotes = 0
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, at + 1)) quotes += 1
  return quotes / 2
}

/** Goes through a value, and counts what is in it. */
class Seen {
  /** Names and texts. */
  strings = 0
  #nodes = 0

  /** Whether the strict reader would take it. */
  take(value: unknown, depth: number): boolean {
    this.#nodes += 1
    if (this.#nodes > limits.jsonNodesMax) return false
    if (typeof value === 'string') {
      this.strings += 1
      return true
    }
    if (typeof value === 'number') return Number.isFinite(value)
    if (typeof value !== 'object' || value === null) return true
    if (depth === limits.jsonDepthMax) return false
    if (Array.isArray(value)) return value.every((item) => this.take(item, depth + 1))
    return isFields(value) && this.#takeFields(value, depth + 1)
  }

  #takeFields(fields: Readonly<Record<string, unknown>>, depth: number): boolean {
    for (const name in fields) {
      this.strings += 1
      if (name.length > limits.jsonKeyCharactersMax || isForbiddenKey(name)) return false
      if (!this.take(fields[name], depth)) return false
    }
    return true
  }
}

/** Told by its first letter, nearly always: that costs no hash. */
export function isForbiddenKey(name: string): boolean {
  const code = name.charCodeAt(0)
  return (code === 0x5f || code === 0x63 || code === 0x70) && FORBIDDEN_KEYS.has(name)
}

function isFields(value: object): value is Readonly<Record<string, unknown>> {
  return !Array.isArray(value)
}
