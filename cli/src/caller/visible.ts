const GAP = '  '

/** Text of somebody else for a terminal: control characters would move its cursor, or worse. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?')
}

/** Names and values under each other, indented; what is not known is left out. */
export function factLines(facts: readonly (readonly [string, string | undefined])[]): string {
  const known = facts.filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...known.map(([name]) => name.length))
  return known
    .map(([name, value = '']) => `${GAP}${visible(name).padEnd(width)}${GAP}${visible(value)}\n`)
    .join('')
}

/** The two ends of an address, a hash or an id: enough to compare with one's own list. */
export function shortened(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 8)}..${text.slice(-6)}`
}
