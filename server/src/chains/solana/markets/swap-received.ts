import type { Venue } from '../../venue.ts'

type Swap = Parameters<Venue['received']>[0]

/**
 * What came out of a mined swap: what the wallet's own balance of it did, where the chain told it, else the transfers to the wallet. Null
 * when neither shows it.
 */
export function receivedBy({ wallet, quote, transfers, senderChanges }: Swap): bigint | null {
  const wanted = quote.side === 'buy' ? quote.token.mint : 'native'
  const change = senderChanges?.find(({ asset }) => asset === wanted)
  if (change !== undefined) return change.delta > 0n ? change.delta : null
  const coming = transfers.filter(({ asset, to }) => asset === wanted && to === wallet)
  const sum = coming.reduce((total, { amount }) => total + amount, 0n)
  return sum > 0n ? sum : null
}
