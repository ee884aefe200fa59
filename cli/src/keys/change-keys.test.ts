import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KeyOrder } from '@florin/server/access/create-key.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import { listAudit } from '@florin/server/audit/store.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import { newId } from '@florin/server/kernel/id.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { makeKey, removeKey } from './change-keys.ts'
import type { Access } from './open-access.ts'
import { write } from '@florin/server/store/test-write.ts'

let database: TestDatabase
let access: Access
const accountId = newId(random, 'acct')

beforeAll(async () => {
  database = await openTestDatabase()
  const { store } = database
  const insert = `insert into accounts (id, name) values ($1, 'a')`
  await write(store, 'test_account', insert, [accountId])
  const pepper = new SecretBytes(random.bytes(32))
  const audit = openAudit({ clock, random })
  access = { store, clock, random, audit, accountId, mode: 'test', pepper: async () => pepper }
})
afterAll(() => database.close())

test('a key leaves one entry when it is made, one when it is deleted, and none when either is refused', async () => {
  const order: KeyOrder = {
    ...{ accountId, name: 'till', mode: access.mode, plan: 'standard' },
    ...{ scopes: ['read', 'write'], expiresAtMilliseconds: null },
  }
  await expect(makeKey(access, { ...order, scopes: [] })).rejects.toThrow()
  const { facts, key } = await makeKey(access, order)
  await removeKey(access, facts.keyId)
  await expect(removeKey(access, facts.keyId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const entries = await database.store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 100 }),
  )
  const { keyId: object, lastFour } = facts
  expect(
    entries.map(({ actor, action, object, detailsText }) => ({
      ...{ actor, action, object },
      details: JSON.parse(detailsText) as unknown,
    })),
  ).toEqual([
    { actor: SYSTEM, action: 'key.deleted', object, details: { name: 'till', lastFour } },
    {
      ...{ actor: SYSTEM, action: 'key.created', object },
      details: { name: 'till', scopes: ['read', 'write'], lastFour },
    },
  ])
  expect(JSON.stringify(entries)).not.toContain(key.reveal())
})
