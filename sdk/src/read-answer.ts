import { EXACT_FIELDS, FREE_FIELDS } from './contract/fields.ts'

/** A string, a number, or one character of structure. Anything else in valid JSON is a word or a space. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\]:,]/g
const EXACT = new Set(EXACT_FIELDS.map((name) => JSON.stringify(name)))
const FREE = new Set(FREE_FIELDS.map((name) => JSON.stringify(name)))

/**
 * An answer's JSON with every count of money as its own text: a JSON number of 18 fraction digits does not fit into a
 * JavaScript number, and JSON.parse would round it without a word. Throws SyntaxError at anything else than JSON.
 */
export function readAnswer(text: string): unknown {
  let depth = 0
  /** Depth of the free value that we are in; Infinity outside of any. */
  let freeFrom = Infinity
  let last = ''
  let name = ''
  const exact = text.replace(TOKEN, (token) => {
    if (token === ':') name = last
    const isValue = last === ':'
    last = token
    switch (token) {
      case '{':
      case '[':
        depth += 1
        if (isValue && FREE.has(name)) freeFrom = Math.min(freeFrom, depth)
        return token
      case '}':
      case ']':
        if (depth === freeFrom) freeFrom = Infinity
        depth -= 1
        return token
      default:
        return isValue && depth < freeFrom && EXACT.has(name) && /^[-\d]/.test(token)
          ? `"${token}"`
          : token
    }
  })
  return JSON.parse(exact)
}
