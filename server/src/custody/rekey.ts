import type { Random } from '../kernel/random.ts'
import type { SecretBytes } from '../kernel/secret.ts'
import type { Store } from '../store/postgres.ts'
import {
  findInstallationSecret,
  holdKeyRow,
  KEY_ROW,
  replaceInstallationSecret,
} from './installation-secret-store.ts'
import { newKeyRow, openRow } from './key-encryption-key.ts'
import { KeyUnusable } from './key-file.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import type { Reseal } from './reseal.ts'
import { SealBroken } from './seal.ts'

/** How an exchange of the key-encryption key ended. In the first two nothing was changed. */
export type Rekeyed =
  /** Nothing is sealed in this database yet: whatever key the first start has is its key. */
  | { readonly kind: 'nothing there' }
  /** The new key is the one that all is sealed under: an exchange whose end was not seen, or the same key twice. */
  | { readonly kind: 'done before' }
  | { readonly kind: 'done'; readonly sealedAnew: readonly SealedAnew[] }

/** How many rows of one kind. */
export interface SealedAnew {
  readonly what: string
  readonly count: number
}

export interface RekeyDeps {
  readonly store: Store
  readonly random: Random
  /** What every room that keeps something sealed has to seal anew. */
  readonly reseals: readonly { readonly what: string; readonly reseal: Reseal }[]
}

/**
 * Seals all that is sealed under the key-encryption key of one text under that of another, in one transaction: whenever it is
 * killed, exactly one of the two opens everything. Only keys are sealed anew, so that nothing of what they seal is read.
 * What running instances would still seal under the old key is refused by
 * `requireCurrentKey`. Throws KeyUnusable when neither text is that of this database, or something does not open under it; nothing
 * is changed then.
 */
export async function rekey(
  { store, random, reseals }: RekeyDeps,
  { before, after }: { before: SecretBytes; after: SecretBytes },
): Promise<Rekeyed> {
  const found = await findInstallationSecret(store, KEY_ROW)
  if (found === undefined) return { kind: 'nothing there' }
  if (await opens(after, found)) return { kind: 'done before' }
  const old = await openRow(before, found)
  const fresh = await newKeyRow(after, random)
  const keys = {
    before: localKeyWrapper({ keyEncryptionKey: old, random }),
    after: localKeyWrapper({ keyEncryptionKey: fresh.key, random }),
  }
  try {
    return await store.inTransaction('service', async (tx) => {
      const locked = await holdKeyRow(tx, 'update')
      if (locked === undefined || !Buffer.from(locked).equals(found)) {
        throw new KeyUnusable('somebody else exchanged the key at the same moment; look again')
      }
      const sealedAnew: SealedAnew[] = []
      for (const { what, reseal } of reseals) {
        sealedAnew.push({ what, count: await reseal(tx, keys) })
      }
      await replaceInstallationSecret(tx, KEY_ROW, fresh.row)
      return { kind: 'done', sealedAnew }
    })
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new KeyUnusable(`${error.message}, so nothing was changed`, { cause: error })
  } finally {
    old.erase()
    fresh.key.erase()
  }
}

async function opens(text: SecretBytes, row: Uint8Array): Promise<boolean> {
  try {
    const key = await openRow(text, row)
    key.erase()
    return true
  } catch (error) {
    if (error instanceof KeyUnusable) return false
    throw error
  }
}
