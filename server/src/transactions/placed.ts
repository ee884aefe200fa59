import type { Built, Preparation } from '../chains/self-custody.ts'
import type { Tx } from '../store/postgres.ts'
import { lockNonces, takeNonce } from './nonce-store.ts'
import type { NonceScope } from './nonce-store.ts'

/** The bytes, with a nonce that no other live build of the account and wallet has. Last, because others of the wallet wait for it. */
export async function placed(
  tx: Tx,
  scope: NonceScope,
  made: {
    readonly first: Built
    readonly preparation: Preparation
    readonly wanted: Omit<Parameters<typeof takeNonce>[2], 'first'>
  },
): Promise<Built> {
  const { first, preparation, wanted } = made
  const lowest = first.nonce
  if (lowest === null) return first
  await lockNonces(tx, scope)
  const nonce = await takeNonce(tx, scope, { ...wanted, first: lowest })
  if (nonce === lowest) return first
  const below = Array.from({ length: Number(nonce - lowest) }, (_, index) => lowest + BigInt(index))
  return preparation.build(below)
}
