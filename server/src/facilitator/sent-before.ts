import type { Chain, Terms } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { followedHeightOf } from '../sender/follower-store.ts'
import type { ClaimDeps } from './beginning.ts'

/** No transaction of anybody's stands in the block at 0, which is the genesis, and that may be left out. */
const FIRST_HEIGHT = 1n

/**
 * Whether a payment whose time is over has been in a block, though nothing is known of it here: a backup was restored since, or another installation has the
 * settler's key. Nothing but that key's signature was open, and it is what a transaction is called, so signing again tells its name; what
 * was signed is sent nowhere. Also true where it was included and failed. That it never was is told by a history that reaches back to the block it was made
 * after, or to the first one where that is not known any more; `untold` where no node has one. Throws NodeFailure when no node tells what its history holds.
 */
export async function wasSentBefore(
  { signerFor, store }: Pick<ClaimDeps, 'signerFor' | 'store'>,
  { chain, settler, terms }: { chain: Chain; settler: Wallet; terms: Terms },
): Promise<boolean | 'untold'> {
  const { renewal } = chain
  const { network, sandbox } = chain.config
  if (renewal.kind !== 'lifetime') return false
  const signer = await signerFor(settler, chain.config)
  const { hash } = await chain.sign(terms, 0n, signer).finally(() => signer.erase())
  const [looks = []] = await renewal.lookBack([hash])
  if (looks.some(({ found }) => found)) return true
  // A sandbox keeps its transactions longer than its blocks, and is made anew sooner than it forgets them.
  if (sandbox) return false
  const madeAfter = renewal.madeAfter?.(terms)
  const madeAt =
    madeAfter === undefined
      ? undefined
      : await store.inTransaction('service', (tx) => followedHeightOf(tx, network, madeAfter))
  const from = madeAt ?? FIRST_HEIGHT
  const reachesBack = looks.some(
    ({ historyFrom }) => historyFrom !== undefined && historyFrom <= from,
  )
  return reachesBack ? false : 'untold'
}
