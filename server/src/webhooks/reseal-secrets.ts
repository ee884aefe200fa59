import { resealInBatches } from '../custody/reseal.ts'
import type { KeyChange, Reseal } from '../custody/reseal.ts'
import { SealBroken } from '../custody/seal.ts'
import { rewrapSecret } from './secret.ts'
import { readSecrets, replaceSecrets } from './secret-store.ts'
import type { KeptSecrets } from './secret-store.ts'

/**
 * Seals the secrets of every endpoint anew, those that a rotation left behind and those of deleted endpoints too. Gives of how many
 * endpoints. Throws SealBroken that names the endpoint.
 */
export const resealWebhookSecrets: Reseal = async (tx, keys) =>
  await resealInBatches(
    (behind, rowsMax) => readSecrets(tx, behind, rowsMax),
    async (kept) =>
      replaceSecrets(tx, await Promise.all(kept.map((secrets) => resealed(keys, secrets)))),
  )

async function resealed(keys: KeyChange, kept: KeptSecrets): Promise<KeptSecrets> {
  const { id, accountId, current, previous } = kept
  const owner = { webhookId: id, accountId }
  try {
    return {
      ...kept,
      current: await rewrapSecret(keys, owner, current),
      previous: previous === null ? null : await rewrapSecret(keys, owner, previous),
    }
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new SealBroken(`a secret of webhook ${id} does not open`, { cause: error })
  }
}
