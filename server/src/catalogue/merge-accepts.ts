import type { Accept } from './listing.ts'

/** The newest way to pay in front; it replaces one that differs in the price alone. At most so many. */
export function mergeAccepts(
  known: readonly Accept[],
  newest: Accept,
  acceptsMax: number,
): readonly Accept[] {
  const isOther = ({ network, scheme, asset, payTo }: Accept) =>
    network !== newest.network ||
    scheme !== newest.scheme ||
    asset !== newest.asset ||
    payTo !== newest.payTo
  return [newest, ...known.filter(isOther)].slice(0, acceptsMax)
}
