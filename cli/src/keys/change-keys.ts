import { createKeyIn } from '@florin/server/access/create-key.ts'
import type { CreatedKey, KeyOrder } from '@florin/server/access/create-key.ts'
import { findKeys, markKeyDeleted } from '@florin/server/access/store.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import type { KeyId } from '@florin/server/kernel/id.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Access } from './open-access.ts'

/** Makes a key and notes it in the account's audit log, as the work of whoever has the machine. Refuses as createKeyIn does. */
export async function makeKey(access: Access, order: KeyOrder): Promise<CreatedKey> {
  const { store, audit } = access
  const deps = { ...access, pepper: await access.pepper() }
  return await store.inTransaction(order.accountId, async (tx) => {
    const made = await createKeyIn(deps, tx, order)
    const { accountId, keyId: object, name, scopes, lastFour } = made.facts
    const details = { name, scopes, lastFour }
    await audit.note(tx, { accountId, actor: SYSTEM, action: 'key.created', object, details })
    return made
  })
}

/** Deletes a key of the account for ever and notes it. Throws Refusal NOT_FOUND when there is none of that id. */
export async function removeKey(
  { store, clock, audit, accountId }: Access,
  keyId: KeyId,
): Promise<void> {
  await store.inTransaction(accountId, async (tx) => {
    const key = (await findKeys(tx, accountId)).find((each) => each.keyId === keyId)
    const isGone = await markKeyDeleted(tx, accountId, keyId, clock.nowMilliseconds())
    if (key === undefined || !isGone) throw new Refusal('NOT_FOUND')
    const [action, details] = ['key.deleted', { name: key.name, lastFour: key.lastFour }]
    await audit.note(tx, { accountId, actor: SYSTEM, action, object: keyId, details })
  })
}
