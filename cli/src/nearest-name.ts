/**
 * The name that somebody probably meant: the one with the fewest slips of a hand (a letter too many, too few, wrong, or two in the wrong
 * order), a slip for every three letters at most; else one that it is the beginning of, or that is its beginning, by half at least.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    // So that the work is bounded by the names that there are.
    .filter((name) => Math.abs(name.length - given.length) <= longer(given, name) / 3)
    .map((name) => ({ name, slips: slipsBetween(given, name) }))
    .filter(({ name, slips }) => slips <= Math.max(1, longer(given, name) / 3))
    .toSorted((left, right) => left.slips - right.slips)
  if (near[0] !== undefined) return near[0].name
  return names
    .filter((name) => name.startsWith(given) || given.startsWith(name))
    .filter((name) => Math.min(given.length, name.length) * 2 >= longer(given, name))
    .toSorted((left, right) => right.length - left.length)[0]
}

const longer = (one: string, other: string) => Math.max(one.length, other.length)

/** The optimal string alignment distance, row by row. */
function slipsBetween(one: string, other: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (last[column] ?? Infinity) + 1,
          (current[column - 1] ?? Infinity) + 1,
          (last[column - 1] ?? Infinity) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      )
    }
    before = last
    last = current
  }
  return last[other.length] ?? Infinity
}
