/**
 * Whether an address that a caller names is this service's own facilitator: `own`, which ends in `/x402`, or the same under `/api`, where every route
 * is served as well. Slashes at the end and the case of the host do not count.
 */
export function isOwnFacilitator(own: string, named: string): boolean {
  const spelling = spellingOf(named)
  return [own, own.replace(/\/x402$/, '/api/x402')].some((each) => spellingOf(each) === spelling)
}

function spellingOf(address: string): string {
  return new URL(address).href.replace(/\/+$/, '')
}
