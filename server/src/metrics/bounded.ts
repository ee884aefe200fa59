/** What stands for every value beyond the bound. */
export const OTHER = 'other'

/**
 * Keeps a label's values few: the first `max` different ones pass, everything later is `other`. For values that come from our own
 * code and still must not be able to fill the memory.
 */
export function boundedLabel(max: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= max) return OTHER
    known.add(value)
    return value
  }
}
