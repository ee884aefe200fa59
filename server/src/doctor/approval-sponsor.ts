import { formatAmount } from '@florin/wire/amount.ts'
import type { Chain } from '../chains/chain.ts'
import { findAnyWallet } from '../custody/store.ts'
import { nativeOf } from '../kernel/network-config.ts'
import type { Store } from '../store/postgres.ts'

/**
 * Why a network's `approvalSponsoring` gives nobody anything, in words: its wallet is none of this installation, or has less than one approval
 * may take. Undefined where it gives, and where nothing of it is configured. Throws NodeFailure.
 */
export async function whatSponsorLacks(store: Store, chain: Chain): Promise<string | undefined> {
  const { approvalSponsoring, family } = chain.config
  if (approvalSponsoring === undefined) return undefined
  const { wallet, amountMax } = approvalSponsoring
  const found = await store.inTransaction('service', (tx) => findAnyWallet(tx, family, wallet))
  if (found === undefined) return `${wallet} is no wallet of this installation`
  if (found.isDeleted) return `the wallet ${wallet} is deleted`
  const native = nativeOf(chain.config)
  const { amounts } = await chain.balances(found.wallet.address, [native])
  const [held = 0n] = amounts
  if (held >= amountMax) return undefined
  const said = `${formatAmount(held, native.decimals)} ${native.symbol}`
  return `the wallet ${wallet} has ${said}, less than one approval may take`
}
