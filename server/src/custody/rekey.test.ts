import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccount } from '../access/create-account.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { createWallet } from './create-wallet.ts'
import type { Custody } from './create-wallet.ts'
import { evmKeys } from './evm-keys.ts'
import { loadInstallationSecret, resealInstallationSecrets } from './installation-secrets.ts'
import { openKeyEncryptionKey } from './key-encryption-key.ts'
import { keyFromText, KeyUnusable } from './key-file.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import { rekey } from './rekey.ts'
import { resealWallets } from './reseal-wallets.ts'
import { openSigner } from './signer.ts'
import { insertWallet, listWallets, markWalletDeleted, walletsById } from './store.ts'
import type { Wallet } from './wallet.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

const OLD = 'the key text of before, long enough'
const NEW = 'the key text of hereafter, long enough'
const network = testNetwork([])

let database: TestDatabase
let custody: Custody
let accountId: AccountId
beforeEach(async () => {
  database = await openTestDatabase()
  custody = await custodyOf(OLD)
  accountId = (await createAccount({ store: database.store, clock, random }, 'a')).accountId
})
afterEach(() => database.close())

/** As a process that starts with this key. */
async function custodyOf(text: string): Promise<Custody> {
  const { store } = database
  const key = { store, text: keyFromText(text), random }
  const wrapper = localKeyWrapper({ keyEncryptionKey: await openKeyEncryptionKey(key), random })
  return { wrapper, schemes: [evmKeys({ random })], networks: [network], random, clock }
}

const keep = (wallet: Wallet, { wrapper } = custody) =>
  database.store.inTransaction(accountId, (tx) => insertWallet(tx, wrapper, wallet))

async function aWallet(): Promise<Wallet> {
  const wallet = await createWallet(custody, { accountId, family: 'evm', label: null })
  await keep(wallet)
  return wallet
}

const exchange = (before = OLD, after = NEW) =>
  rekey(
    {
      store: database.store,
      random,
      reseals: [
        { what: 'wallets', reseal: resealWallets },
        { what: 'secrets', reseal: resealInstallationSecrets },
      ],
    },
    { before: keyFromText(before), after: keyFromText(after) },
  )

/** Opens wallets as they are stored now; a signer holds its key against its address. */
async function open(ids: readonly Wallet['id'][], by: Custody): Promise<void> {
  const stored = await database.store.inTransaction('service', (tx) => walletsById(tx, ids))
  expect(stored.map(({ id }) => id)).toEqual(ids)
  for (const wallet of stored) (await openSigner(by, wallet, network)).erase()
}

const secretOf = async ({ wrapper }: Custody) =>
  Buffer.from(
    (
      await loadInstallationSecret({ store: database.store, wrapper, random }, 'key-pepper')
    ).reveal(),
  ).toString('hex')

test('after an exchange the new key opens every wallet and secret, deleted ones too, and the old one is refused', async () => {
  const [kept, deleted] = [await aWallet(), await aWallet()]
  await database.store.inTransaction(accountId, (tx) =>
    markWalletDeleted(tx, accountId, deleted.id, clock.nowMilliseconds()),
  )
  const secret = await secretOf(custody)
  expect(await exchange()).toEqual({
    kind: 'done',
    sealedAnew: [
      { what: 'wallets', count: 2 },
      { what: 'secrets', count: 1 },
    ],
  })
  const after = await custodyOf(NEW)
  await open([kept.id, deleted.id], after)
  expect(await secretOf(after)).toBe(secret)
  await expect(custodyOf(OLD)).rejects.toThrow(KeyUnusable)
  await expect(open([kept.id], custody)).rejects.toThrow('does not open')
})

test('an exchange that is repeated, since its end was not seen, changes nothing and says so', async () => {
  await aWallet()
  await exchange()
  const sealed = () =>
    database.store.inTransaction(accountId, async (tx) => await listWallets(tx, accountId))
  const before = await sealed()
  expect(await exchange()).toEqual({ kind: 'done before' })
  expect(await exchange(NEW, NEW)).toEqual({ kind: 'done before' })
  expect(await sealed()).toEqual(before)
})

test('more wallets than one batch are all sealed anew', async () => {
  const first = await aWallet()
  // Rows that open are made by the thousand only with one key: what is asked here is that each is visited, whatever it holds.
  await write(
    database.store,
    'test_copies',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key, created_at)
     select 'wal_' || lpad(translate(n::text, '0', 'a'), 22, 'z'), account_id, family, 'address ' || n, '\\x01', '\\x01', created_at
       from wallets, generate_series(1, 1500) n where id = $1`,
    [first.id],
  )
  const visited: string[] = []
  await database.store.inTransaction('service', async (tx) => {
    const seen = { ...custody.wrapper, unwrap: async () => keyFromText(OLD) }
    const after = {
      ...custody.wrapper,
      wrap: async (_: unknown, data: Uint8Array) => {
        visited.push(Buffer.from(data).toString('hex'))
        return new Uint8Array(1)
      },
    }
    expect(await resealWallets(tx, { before: seen, after })).toBe(1501)
  })
  expect(new Set(visited).size).toBe(1501)
})

test('a process that still holds the old key stores nothing sealed under it, and says that it has to be started anew', async () => {
  await aWallet()
  await exchange()
  const late = await createWallet(custody, { accountId, family: 'evm', label: null })
  await expect(keep(late)).rejects.toMatchObject({
    code: 'NETWORK_ERROR',
    message: expect.stringContaining('started anew'),
  })
  const { store } = database
  const { wrapper } = custody
  await expect(
    loadInstallationSecret({ store, wrapper, random }, 'password-pepper'),
  ).rejects.toMatchObject({ code: 'NETWORK_ERROR' })
  const there = await store.inTransaction(accountId, (tx) => listWallets(tx, accountId))
  expect(there.map(({ id }) => id)).not.toContain(late.id)
  expect(await secretOf(await custodyOf(NEW))).toMatch(/^[0-9a-f]{64}$/)
})

test('a wallet that is just being stored is waited for, and sealed anew with the others', async () => {
  const late = await createWallet(custody, { accountId, family: 'evm', label: null })
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: stored, resolve: isStored } = Promise.withResolvers<void>()
  const storing = database.store.inTransaction(accountId, async (tx) => {
    await insertWallet(tx, custody.wrapper, late)
    isStored()
    await mayCommit
  })
  await stored
  const exchanging = exchange()
  await until('the exchange waits for the wallet', () => isWaiting(), { seconds: 30 })
  commit()
  await storing
  expect(await exchanging).toMatchObject({ kind: 'done' })
  await open([late.id], await custodyOf(NEW))
})

async function isWaiting(): Promise<boolean> {
  const rows = await database.store.query<{ waits: boolean }>(
    'test_waits',
    `select exists (select from ${WAITS_HERE}) as waits`,
  )
  return rows[0]?.waits === true
}

test('of two exchanges at once one happens, and whatever the other says, one key opens everything', async () => {
  const wallet = await aWallet()
  const other = 'a third key text, which is long enough as well'
  const ends = await Promise.allSettled([exchange(), exchange(OLD, other)])
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const by = ends[0]?.status === 'fulfilled' ? NEW : other
  await open([wallet.id], await custodyOf(by))
})

test.each([
  ['another key than this database has', `${OLD}.`, 'is not the one that sealed'],
  ['the key of another installation', NEW, 'is not the one that sealed'],
])('with %s nothing is changed', async (_, before, said) => {
  const wallet = await aWallet()
  await expect(exchange(before, 'a third key text, which is long enough as well')).rejects.toThrow(
    said,
  )
  await open([wallet.id], await custodyOf(OLD))
})

test('a wallet that does not open is named, and nothing is changed', async () => {
  const [sound, broken] = [await aWallet(), await aWallet()]
  await write(
    database.store,
    'test_break',
    'update wallets set sealed_data_key = (select sealed_data_key from wallets where id = $1) where id = $2',
    [sound.id, broken.id],
  )
  await expect(exchange()).rejects.toThrow(
    `the key of wallet ${broken.id} (${broken.address}) does not open, so nothing was changed`,
  )
  await open([sound.id], await custodyOf(OLD))
})

test('an empty database is told apart: it takes the key of its first start', async () => {
  await write(database.store, 'test_clear', 'delete from installation_secrets')
  expect(await exchange()).toEqual({ kind: 'nothing there' })
})
