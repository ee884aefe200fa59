import type { Chain, Terms } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { limits } from '../kernel/limits.ts'
import { finalHeightsAfter, followedHeightOf } from '../sender/dated-blocks-store.ts'
import type { ClaimDeps } from './beginning.ts'

/**
 * Whether a payment whose time is over has been in a block, though nothing is known of it here: a backup was restored since, or another installation has the
 * settler's key. Nothing but that key's signature was open, and it is what a transaction is called, so signing again tells its name; what
 * was signed is sent nowhere. Also true where it was included and failed. That it never was is told by a node whose history has all blocks that could hold it;
 * `untold` where none has, or nobody here knows which these are, and `too young` where they are not final yet. Throws NodeFailure when no node tells what
 * its history holds.
 */
export async function wasSentBefore(
  { signerFor, store }: Pick<ClaimDeps, 'signerFor' | 'store'>,
  { chain, settler, terms }: { chain: Chain; settler: Wallet; terms: Terms },
): Promise<boolean | 'untold' | 'too young'> {
  const { renewal } = chain
  const { network, sandbox } = chain.config
  if (renewal.kind !== 'lifetime') return false
  const signer = await signerFor(settler, chain.config)
  const { hash } = await chain.sign(terms, 0n, signer).finally(() => signer.erase())
  const madeAfter = renewal.madeAfter?.(terms)
  const among = await store.inTransaction('service', async (tx) => {
    const madeAt =
      madeAfter === undefined ? undefined : await followedHeightOf(tx, network, madeAfter)
    if (madeAt === undefined) return undefined
    return finalHeightsAfter(tx, network, madeAt, limits.datedBlocksAfter)
  })
  const areAll = among?.length === limits.datedBlocksAfter
  const [looks = []] = await renewal.lookBack([hash], areAll ? among : undefined)
  if (looks.some(({ found }) => found)) return true
  // A sandbox keeps its transactions longer than its blocks, and is made anew sooner than it forgets them.
  if (sandbox) return false
  if (among !== undefined && !areAll) return 'too young'
  return looks.some(({ covers }) => covers === true) ? false : 'untold'
}
