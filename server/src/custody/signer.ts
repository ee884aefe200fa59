import assert from 'node:assert/strict'
import { Refusal } from '@florin/wire/errors.ts'
import type { Signer } from '../chains/signer.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { KeyScheme } from './key-scheme.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import { ownerOf } from './wallet.ts'
import type { Wallet } from './wallet.ts'
import { openWalletKey } from './wallet-key.ts'

/** A signer whose private key is in memory until `erase`; after that it refuses to sign. */
export interface OpenSigner extends Signer {
  erase(): void
}

/**
 * Opens a wallet's key to sign for one network; open it before the database transaction (the wrapper may be
 * remote) and erase it after. There is no cache: opening takes 15 microseconds and one public key.
 * Refuses UNSUPPORTED_NETWORK when the key belongs to another sandbox, or to none, or the family differs;
 * throws SealBroken when the stored row was changed.
 */
export async function openSigner(
  { wrapper, schemes }: { wrapper: KeyWrapper; schemes: readonly KeyScheme[] },
  wallet: Wallet,
  network: Pick<NetworkConfig, 'family' | 'sandboxInstance'>,
): Promise<OpenSigner> {
  const scheme = schemes.find((candidate) => candidate.family === wallet.family)
  if (
    !scheme ||
    wallet.family !== network.family ||
    wallet.sandboxInstance !== network.sandboxInstance
  ) {
    throw new Refusal('UNSUPPORTED_NETWORK', {
      message: 'This wallet does not belong to this network.',
      details: { walletAddress: 'belongs to another network or sandbox' },
    })
  }
  const privateKey = await openWalletKey({ wrapper }, ownerOf(wallet), wallet)
  let erased = false
  const erase = () => {
    erased = true
    privateKey.erase()
  }
  try {
    assert.equal(scheme.addressOf(privateKey), wallet.address, 'a key gives its own address')
  } catch (error) {
    erase()
    throw error
  }
  return {
    address: wallet.address,
    sign: async (payload) => {
      assert(!erased, 'an erased signer does not sign')
      return scheme.sign(payload, privateKey)
    },
    erase,
  }
}
