import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import { findAnyWallet } from '../custody/store.ts'
import { keyDomain } from '../custody/wallet.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { appointSettler, retireSettler } from './settler-store.ts'

/** Whether a wallet is to pay for settlements of x402, and whether that changed anything. */
export interface ChangedSettler {
  readonly wallet: Wallet
  readonly isChanged: boolean
}

/**
 * Makes a wallet one that settles, or takes it out again, whoever it belongs to: for whoever has the machine. Instances know within ten
 * seconds. `address` in the family's canonical spelling. Refuses NOT_FOUND where there is no such wallet, and INVALID_PARAMETERS to appoint one that
 * was deleted, or that nothing here can sign with.
 */
export async function changeSettler(
  {
    store,
    clock,
    networks,
    changed,
  }: {
    readonly store: Store
    readonly clock: Clock
    readonly networks: readonly NetworkConfig[]
    /** Called in the transaction that changes it. */
    readonly changed: (tx: Tx, wallet: Wallet) => Promise<void>
  },
  { family, address }: { readonly family: Family; readonly address: string },
  settles: boolean,
): Promise<ChangedSettler> {
  return await store.inTransaction('service', async (tx) => {
    const found = await findAnyWallet(tx, family, address)
    if (found === undefined) throw new Refusal('NOT_FOUND')
    const { wallet } = found
    if (settles) refuseUnfit(found, networks)
    const now = clock.nowMilliseconds()
    const isChanged = settles
      ? await appointSettler(tx, wallet.id, now)
      : await retireSettler(tx, wallet.id, now)
    if (isChanged) await changed(tx, wallet)
    return { wallet, isChanged }
  })
}

function refuseUnfit(
  { wallet, isDeleted }: { readonly wallet: Wallet; readonly isDeleted: boolean },
  networks: readonly NetworkConfig[],
): void {
  const domain = keyDomain(networks, wallet.family)
  const message = isDeleted
    ? 'This wallet was deleted. Restore it first.'
    : domain === undefined
      ? 'No network of this wallet is enabled here.'
      : domain === wallet.sandboxInstance
        ? undefined
        : 'This wallet is of another sandbox: nothing here can sign with it.'
  if (message !== undefined) throw new Refusal('INVALID_PARAMETERS', { message })
}
