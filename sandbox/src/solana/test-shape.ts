/** Words and amounts mean the same on every node; other text is somebody's address, hash or log. */
const SAID = /^([a-z][A-Za-z]*|[a-z]+(-[a-z0-9]+)+|[A-Z][A-Za-z]+|\d+(\.\d+)?|)$/
const ADDRESS_LENGTH = 32
/** Numbers that depend on the node's clock, on its programs, or on where random addresses sort. */
const OWN_NUMBERS = new Set([
  'slot',
  'blockTime',
  'lastValidBlockHeight',
  'computeUnitsConsumed',
  'rentEpoch',
  'loadedAccountsDataSize',
  'accountIndex',
  'programIdIndex',
  'confirmations',
  'accounts[]',
])

/**
 * What of an answer does not depend on who gives it and when, one line for each place in it:
 * which fields there are, what kind of value each has, words, amounts, errors.
 */
export function shapeOf(value: unknown, place = ''): readonly string[] {
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value
    const lines = parts.flatMap((part) => shapeOf(part, `${place}[]`))
    return lines.length === 0 ? [`${place} = []`] : [...new Set(lines)].sort()
  }
  if (typeof value === 'object' && value !== null) {
    const lines = Object.entries(value).flatMap(([name, part]) => shapeOf(part, `${place}.${name}`))
    return [...new Set(lines)].sort()
  }
  if (typeof value === 'number' && OWN_NUMBERS.has(place.slice(place.lastIndexOf('.') + 1)))
    return [`${place} = number`]
  if (typeof value !== 'string') return [`${place} = ${String(value)}`]
  const isSaid = value.length < ADDRESS_LENGTH && SAID.test(value)
  return [`${place} = ${isSaid ? value : 'text'}`]
}
