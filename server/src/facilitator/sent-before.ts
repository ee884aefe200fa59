import type { Chain, Terms } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { ClaimDeps } from './beginning.ts'

/**
 * Whether a payment whose time is over has been in a block, though nothing is known of it here: a backup was restored since, or another installation has the
 * settler's key. Nothing but that key's signature was open, and it is what a transaction is called, so signing again tells its name; what
 * was signed is sent nowhere. Also true where it was included and failed. Throws NodeFailure when no node tells what its history holds.
 */
export async function wasSentBefore(
  { signerFor }: Pick<ClaimDeps, 'signerFor'>,
  { chain, settler, terms }: { chain: Chain; settler: Wallet; terms: Terms },
): Promise<boolean> {
  const { renewal } = chain
  if (renewal.kind !== 'lifetime') return false
  const signer = await signerFor(settler, chain.config)
  const { hash } = await chain.sign(terms, 0n, signer).finally(() => signer.erase())
  const [looks = []] = await renewal.lookBack([hash])
  return looks.some(({ found }) => found)
}
