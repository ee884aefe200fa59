import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '@florin/server/access/create-account.ts'
import { openAudit } from '@florin/server/audit/audit.ts'
import { SYSTEM } from '@florin/server/audit/entry.ts'
import { listAudit } from '@florin/server/audit/store.ts'
import { createWallet } from '@florin/server/custody/create-wallet.ts'
import type { BroughtBack } from '@florin/server/custody/bring-back-wallet.ts'
import type { Custody } from '@florin/server/custody/create-wallet.ts'
import { evmKeys } from '@florin/server/custody/evm-keys.ts'
import { localKeyWrapper } from '@florin/server/custody/key-wrapper.ts'
import { listDeletedWallets, listWallets, markWalletDeleted } from '@florin/server/custody/store.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import { systemRandom as random } from '@florin/server/kernel/random.ts'
import { SecretBytes } from '@florin/server/kernel/secret.ts'
import { until } from '@florin/server/kernel/until.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { keepBroughtBack, keepImported, keepNewWallet } from './keep-wallet.ts'

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

test('a deleted wallet comes back to its account, once, and only where its networks are', async () => {
  const { store } = database
  const { networks } = custody
  const books = { store, audit: openAudit({ clock, random }), networks, custody }
  const { accountId } = await createAccount({ store, clock, random }, 'till')
  const fresh = await createWallet(custody, { accountId, family: 'evm', label: null })
  const { id, address } = fresh
  await keepNewWallet(books, fresh)
  const place = { family: 'evm', address } as const
  expect(await keepBroughtBack(books, place)).toMatchObject({ was: 'there', wallet: { id } })
  await store.inTransaction(accountId, (tx) =>
    markWalletDeleted(tx, accountId, id, clock.nowMilliseconds()),
  )
  const seen = () => store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
  const hidden = () => store.inTransaction(accountId, (tx) => listDeletedWallets(tx, accountId))
  expect([await seen(), await hidden()]).toMatchObject([[], [{ id }]])

  const elsewhere = [{ ...testNetwork(84_532), sandboxInstance: 'another' }]
  await expect(keepBroughtBack({ ...books, networks: elsewhere }, place)).rejects.toMatchObject({
    code: 'INVALID_PARAMETERS',
  })
  let second: Promise<BroughtBack> | undefined
  const slow = {
    ...books,
    audit: {
      ...books.audit,
      note: async (...entry: Parameters<typeof books.audit.note>) => {
        second = keepBroughtBack(books, place)
        await until('the second one waits for the first', isWaitedFor, { seconds: 60 })
        await books.audit.note(...entry)
      },
    },
  }
  expect(await keepBroughtBack(slow, place)).toMatchObject({ was: 'restored' })
  expect(await second).toMatchObject({ was: 'there' })
  expect([await seen(), await hidden()]).toMatchObject([[{ id, address }], []])
  const entries = await store.inTransaction(accountId, (tx) =>
    listAudit(tx, accountId, { before: undefined, count: 10 }),
  )
  expect(entries.filter(({ action }) => action === 'wallet.restored')).toHaveLength(1)

  const nobodys = { family: 'evm', address: `0x${'0'.repeat(38)}aa` } as const
  await expect(keepBroughtBack(books, nobodys)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

async function isWaitedFor(): Promise<boolean> {
  const waiting = await database.store.query(
    'test_waiting',
    `select from pg_locks l join pg_database d on d.oid = l.database
     where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
  )
  return waiting.length > 0
}
