/** A metric as a page or a service names it: `name type`. */
const ROW = /^\| `(florin_\w+)` +\| (\w+) +\|/gm
const TYPE = /^# TYPE (florin_\w+) (\w+)$/gm

const named = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].map(([, name = '', type = '']) => `${name} ${type}`))

/** Metrics that the page does not explain, explains with another type, or explains although nobody serves them. */
export function metricsDocProblems(page: string, served: string): readonly string[] {
  const [explained, real] = [named(page, ROW), named(served, TYPE)]
  return [
    ...[...real]
      .filter((metric) => !explained.has(metric))
      .map((metric) => `not on the page: ${metric}`),
    ...[...explained]
      .filter((metric) => !real.has(metric))
      .map((metric) => `not served: ${metric}`),
  ]
}
