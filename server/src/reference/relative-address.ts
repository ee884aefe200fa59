/**
 * The way from one page to another, both bare paths, as a relative address: it holds under /api and behind a proxy that
 * puts a prefix before everything.
 */
export function relativeAddress(from: string, to: string): string {
  const up = from.split('/').length - 2
  return `${up === 0 ? './' : '../'.repeat(up)}${to.replace(/^\//, '')}`
}
