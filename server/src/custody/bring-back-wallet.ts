import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { findAnyWallet, restoreWallet } from './store.ts'
import { keyDomain } from './wallet.ts'
import type { Wallet } from './wallet.ts'

export interface BroughtBack {
  readonly wallet: Wallet
  /** `there`: it was not deleted. */
  readonly was: 'there' | 'restored'
}

/**
 * Shows a deleted wallet to its account again, whoever that is: for the operator, where money arrived after the deletion. `address` in the
 * family's canonical spelling. Refuses NOT_FOUND where there is no such wallet, and INVALID_PARAMETERS for one of another sandbox and where its
 * account has as many wallets as it may have.
 */
export async function bringBackWallet(
  {
    store,
    networks,
    changed,
  }: {
    readonly store: Store
    readonly networks: readonly NetworkConfig[]
    /** Called in the transaction that brings it back. */
    readonly changed: (tx: Tx, wallet: Wallet) => Promise<void>
  },
  { family, address }: { readonly family: Family; readonly address: string },
): Promise<BroughtBack> {
  return await store.inTransaction('service', async (tx) => {
    const found = await findAnyWallet(tx, family, address)
    if (found === undefined) throw new Refusal('NOT_FOUND')
    const { wallet, isDeleted } = found
    const domain = keyDomain(networks, family)
    if (domain !== undefined && domain !== wallet.sandboxInstance) {
      throw new Refusal('INVALID_PARAMETERS', {
        message: 'This wallet is of another sandbox: nothing here can pay from it.',
      })
    }
    if (!isDeleted || !(await restoreWallet(tx, wallet.accountId, wallet.id))) {
      return { wallet, was: 'there' }
    }
    await changed(tx, wallet)
    return { wallet, was: 'restored' }
  })
}
