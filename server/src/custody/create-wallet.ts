import { Refusal } from '@florin/wire/errors.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import type { KeyScheme } from './key-scheme.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import { keyDomain } from './wallet.ts'
import type { Wallet } from './wallet.ts'
import { sealWalletKey } from './wallet-key.ts'

/** What custody needs to make and open keys. */
export interface Custody {
  readonly wrapper: KeyWrapper
  readonly schemes: readonly KeyScheme[]
  /** The enabled networks; a family without one has no wallets. */
  readonly networks: readonly NetworkConfig[]
  readonly random: Random
  readonly clock: Clock
}

/**
 * A new wallet with a fresh key, sealed; nothing is stored yet (`insertWallet` does), because wrapping may ask a
 * remote KMS and no transaction waits for one. Refuses UNSUPPORTED_NETWORK when the family has no enabled network.
 */
export async function createWallet(
  custody: Custody,
  { accountId, family, label }: { accountId: AccountId; family: Family; label: string | null },
): Promise<Wallet> {
  const scheme = custody.schemes.find((candidate) => candidate.family === family)
  const sandboxInstance = keyDomain(custody.networks, family)
  if (!scheme || sandboxInstance === undefined) {
    throw new Refusal('UNSUPPORTED_NETWORK', { details: { family: 'no enabled network' } })
  }
  const privateKey = scheme.generate()
  try {
    const id = newId(custody.random, 'wal')
    const address = scheme.addressOf(privateKey)
    const owner = { walletId: id, accountId, family, address, sandboxInstance }
    const sealed = await sealWalletKey(custody, owner, privateKey)
    return {
      id,
      accountId,
      family,
      address,
      label,
      sandboxInstance,
      createdAtMilliseconds: custody.clock.nowMilliseconds(),
      ...sealed,
    }
  } finally {
    privateKey.erase()
  }
}
