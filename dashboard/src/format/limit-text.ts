/** A limit for people; null is none. */
export function limitText(limit: number | null): string {
  return limit === null ? 'unlimited' : limit.toLocaleString('en')
}
