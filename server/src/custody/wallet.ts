import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { KeyOwner, SealedKey } from './wallet-key.ts'

/** A custodial wallet: one key of one account. The sealed parts are useless without the key-encryption key. */
export interface Wallet extends SealedKey {
  readonly id: WalletId
  readonly accountId: AccountId
  readonly family: Family
  /** In the family's canonical spelling. */
  readonly address: Address
  readonly label: string | null
  /** The one sandbox the key may sign for; null is production. */
  readonly sandboxInstance: string | null
  readonly createdAtMilliseconds: number
}

/** The facts that a wallet's seals are bound to. */
export function ownerOf(wallet: Wallet): KeyOwner {
  return {
    walletId: wallet.id,
    accountId: wallet.accountId,
    family: wallet.family,
    address: wallet.address,
    sandboxInstance: wallet.sandboxInstance,
  }
}

/**
 * Where new keys of a family belong: the instance of the enabled networks, null for production, undefined when
 * no network of the family is enabled. Throws when real and sandbox networks are mixed: a configuration error.
 */
export function keyDomain(
  networks: readonly NetworkConfig[],
  family: Family,
): string | null | undefined {
  const instances = new Set(
    networks
      .filter((network) => network.family === family)
      .map((network) => network.sandboxInstance),
  )
  if (instances.size > 1) throw new Error(`networks of ${family} belong to different worlds`)
  return [...instances][0]
}
