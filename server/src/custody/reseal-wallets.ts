import { readDataKeys, replaceDataKeys } from './data-key-store.ts'
import type { KeptDataKey } from './data-key-store.ts'
import { resealInBatches } from './reseal.ts'
import type { KeyChange, Reseal } from './reseal.ts'
import { SealBroken } from './seal.ts'
import { rewrapDataKey } from './wallet-key.ts'

/** Seals the data key of every wallet anew, of deleted ones too. Gives how many. Throws SealBroken that names the wallet. */
export const resealWallets: Reseal = async (tx, keys) =>
  await resealInBatches(
    (behind, rowsMax) => readDataKeys(tx, behind, rowsMax),
    async (kept) =>
      replaceDataKeys(tx, await Promise.all(kept.map((dataKey) => resealed(keys, dataKey)))),
  )

async function resealed(
  keys: KeyChange,
  { id, owner, sealedDataKey }: KeptDataKey,
): Promise<Pick<KeptDataKey, 'id' | 'sealedDataKey'>> {
  try {
    return { id, sealedDataKey: await rewrapDataKey(keys, owner, sealedDataKey) }
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    const said = `the key of wallet ${id} (${owner.address}) does not open`
    throw new SealBroken(said, { cause: error })
  }
}
