const DAY = /^(\d{4})-(\d{2})-(\d{2})$/

/** The beginning of a day ("2026-11-21") by the reader's own clock, so many days later: Unix milliseconds. */
export function startOfDay(text: string, daysLater = 0): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(day) + daysLater).getTime()
}
