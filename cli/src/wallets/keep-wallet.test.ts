import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '@florin/server/access/create-account.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import { listAudit } from '@florin/server/audit/store.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import type { Custody } from '@florin/server/custody/create-wallet.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { markWalletDeleted } from '@florin/server/custody/store.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { keepImported, keepNewWallet } from './keep-wallet.ts'

let database: TestDatabase
let custody: Custody
beforeAll(async () => {
  database = await openTestDatabase()
  const keyEncryptionKey = new SecretBytes(randomBytes(32))
  custody = {
    wrapper: localKeyWrapper({ keyEncryptionKey, random }),
    schemes: [evmKeys({ random })],
    networks: [testNetwork(84_532)],
    random,
    clock,
  }
})
afterAll(() => database.close())

test('a wallet leaves one entry when it is made, imported or brought back, and none when it was there', async () => {
  const { store } = database
  const books = { store, audit: openAudit({ clock, random }), custody }
  const { accountId } = await createAccount({ store, clock, random }, 'till')
  const fresh = await createWallet(custody, { accountId, family: 'evm', label: 'a' })
  await keepNewWallet(books, fresh)
  const privateKey = () => new SecretBytes(Uint8Array.from(key))
  const key = randomBytes(32)
  const bring = () =>
    keepImported(books, { accountId, family: 'evm', label: 'b', privateKey: privateKey() })
  const { wallet } = await bring()
  expect((await bring()).was).toBe('there')
  await store.inTransaction(accountId, (tx) =>
    markWalletDeleted(tx, accountId, wallet.id, clock.nowMilliseconds()),
  )
  expect((await bring()).was).toBe('restored')

  const entries = await store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 10 }),
  )
  expect(
    entries.map(({ actor, action, object }) => ({ actor, action, object })).toReversed(),
  ).toEqual([
    { actor: SYSTEM, action: 'wallet.created', object: fresh.id },
    { actor: SYSTEM, action: 'wallet.imported', object: wallet.id },
    { actor: SYSTEM, action: 'wallet.restored', object: wallet.id },
  ])
  expect(JSON.stringify(entries)).not.toContain(key.toString('hex'))
})
