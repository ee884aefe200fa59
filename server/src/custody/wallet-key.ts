import type { Family } from '@florin/wire/network.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { boundFields } from './bound-fields.ts'
import type { KeyWrapper } from './key-wrapper.ts'
import { rewrap } from './reseal.ts'
import type { KeyChange } from './reseal.ts'
import { seal, unseal } from './seal.ts'

const DATA_KEY_BYTES = 32

/** Whose key it is and where it may sign. Both seals are bound to all of it, so a row moved to another wallet does not open. */
export interface KeyOwner {
  readonly walletId: WalletId
  readonly accountId: AccountId
  readonly family: Family
  readonly address: string
  /** The one sandbox the key may sign for; null is production. */
  readonly sandboxInstance: string | null
}

export interface SealedKey {
  /** The wallet's own 256-bit data key under the key-encryption key. */
  readonly sealedDataKey: Uint8Array
  /** The private key under the data key. */
  readonly sealedPrivateKey: Uint8Array
}

const VERSION = 'v1'

function boundTo(what: 'data-key' | 'private-key', owner: KeyOwner): Uint8Array {
  return boundFields([
    `florin-wallet-${what}-${VERSION}`,
    owner.walletId,
    owner.accountId,
    owner.family,
    owner.address,
    owner.sandboxInstance,
  ])
}

/** Seals a private key under a fresh data key. The private key stays the caller's to erase. */
export async function sealWalletKey(
  { wrapper, random }: { wrapper: KeyWrapper; random: Random },
  owner: KeyOwner,
  privateKey: SecretBytes,
): Promise<SealedKey> {
  const dataKey = new SecretBytes(random.bytes(DATA_KEY_BYTES))
  try {
    return {
      sealedDataKey: await wrapper.wrap(dataKey, boundTo('data-key', owner)),
      sealedPrivateKey: seal(
        dataKey.reveal(),
        privateKey.reveal(),
        boundTo('private-key', owner),
        random,
      ),
    }
  } finally {
    dataKey.erase()
  }
}

/** Opens a wallet's private key; the caller erases it. Throws SealBroken when any byte or any fact of the owner differs. */
export async function openWalletKey(
  { wrapper }: { wrapper: KeyWrapper },
  owner: KeyOwner,
  sealed: SealedKey,
): Promise<SecretBytes> {
  const dataKey = await wrapper.unwrap(sealed.sealedDataKey, boundTo('data-key', owner))
  try {
    return new SecretBytes(
      unseal(dataKey.reveal(), sealed.sealedPrivateKey, boundTo('private-key', owner)),
    )
  } finally {
    dataKey.erase()
  }
}

/** A wallet's data key under another key-encryption key; its private key stays under the data key as it is. Throws SealBroken. */
export async function rewrapDataKey(
  keys: KeyChange,
  owner: KeyOwner,
  sealedDataKey: Uint8Array,
): Promise<Uint8Array> {
  return await rewrap(keys, sealedDataKey, boundTo('data-key', owner))
}
