import type { Chain } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import { untoldPayments } from '../sender/untold-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Decided, Funding } from './decide-sends.ts'

interface NamingDeps {
  readonly chain: Chain
  readonly wallet: Wallet
  /** Left out where nobody trades. */
  readonly trades?: Pick<TradeBook, 'unbooked'> | undefined
}

/**
 * Money that was found, each part under the trade that brought it in, as far as trades did: whoever books what a look has found gives it its names,
 * or a trade's proceeds are booked once more when it is final. Under the lock of the wallet's lane. `lookedAt`: up to which block each asset
 * was looked at.
 */
export async function nameFunds(
  tx: Tx,
  { trades, chain, wallet }: NamingDeps,
  funds: readonly Funding[],
  lookedAt: Decided['lookedAt'],
): Promise<readonly Funding[]> {
  if (trades === undefined || funds.length === 0) return funds
  const { network } = chain.config
  const place = { network, address: wallet.address }
  const looks = funds.flatMap(({ asset }) => {
    const heightMax = lookedAt.get(asset)
    return heightMax === undefined ? [] : [{ asset, heightMax }]
  })
  // Before what was told is read: what is told in between is found there.
  const untold = chain.renewal.kind === 'lifetime' ? await untoldPayments(tx, place) : []
  const proceeds = await trades.unbooked(tx, { ...place, looks, untold })
  return funds.flatMap(({ asset, amount }) => {
    const named: Funding[] = []
    let left = amount
    for (const { paymentId, units } of proceeds.filter((each) => each.asset === asset)) {
      if (units > left) continue
      named.push({ asset, amount: units, paymentId })
      left -= units
    }
    return left > 0n ? [...named, { asset, amount: left }] : named
  })
}
