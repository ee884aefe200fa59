/** Which of some times is meant by a moment of a chart. Undefined where there is none. */
export function stepAt(
  /** Rising; of the same unit as the moment. */
  times: readonly number[],
  moment: number,
  /** `steps`: each time begins a stretch that lasts to the next one. `points`: the nearest is meant. */
  kind: 'steps' | 'points',
): number | undefined {
  if (times.length === 0) return undefined
  const after = times.findIndex((time) => time > moment)
  const before = (after === -1 ? times.length : after) - 1
  if (before < 0) return 0
  const [left = 0, right] = [times[before], times[before + 1]]
  if (kind === 'steps' || right === undefined) return before
  return moment - left <= right - moment ? before : before + 1
}

/** Where a key leads from one of so many steps; undefined for keys that lead nowhere. */
export function stepByKey(key: string, from: number, count: number): number | undefined {
  const last = count - 1
  const leads: Readonly<Record<string, number>> = {
    ...{ ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1 },
    ...{ PageUp: from + PAGE_STEPS, PageDown: from - PAGE_STEPS, Home: 0, End: last },
  }
  const to = leads[key]
  return to === undefined ? undefined : Math.min(Math.max(to, 0), last)
}

const PAGE_STEPS = 10
