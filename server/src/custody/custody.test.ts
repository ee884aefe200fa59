import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recoverAddress } from '../chains/evm/secp256k1.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { Family } from '@florin/wire/network.ts'
import { openLog } from '../kernel/log.ts'
import { openStore } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { createWallet } from './create-wallet.ts'
import type { Custody } from './create-wallet.ts'
import { evmKeys } from './evm-keys.ts'
import { loadInstallationSecret } from './installation-secrets.ts'
import { openKeyEncryptionKey } from './key-encryption-key.ts'
import { keyFromText } from './key-file.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import { SealBroken } from './seal.ts'
import { openSigner } from './signer.ts'
import {
  findWallet,
  findWallets,
  insertWallet,
  keepWallet,
  listWallets,
  lockWallet,
} from './store.ts'
import { markWalletDeleted, readWallet } from './store.ts'
import type { Wallet } from './wallet.ts'
import { write } from '../store/test-write.ts'

const INSTANCE = 'sandbox-one'
const KEY_TEXT = Buffer.from(systemRandom.bytes(32)).toString('hex')

/** Every 32 bytes that were drawn: private keys, data keys, installation secrets. None may lie in clear. */
const drawn: string[] = []
const random: Random = {
  bytes: (length) => {
    const bytes = systemRandom.bytes(length)
    if (length === 32) drawn.push(Buffer.from(bytes).toString('hex'))
    return bytes
  },
}

let database: TestDatabase
let owner: Store
let custody: Custody
let alice: AccountId
let bob: AccountId

beforeAll(async () => {
  database = await openTestDatabase()
  const { store } = database
  owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
  const text = keyFromText(KEY_TEXT)
  const keyEncryptionKey = await openKeyEncryptionKey({ store, text, random })
  drawn.push(Buffer.from(keyEncryptionKey.reveal()).toString('hex'), KEY_TEXT)
  const wrapper = localKeyWrapper({ keyEncryptionKey, random })
  const networks = [aNetwork(INSTANCE)]
  custody = { wrapper, random, clock: systemClock, schemes: [evmKeys({ random })], networks }
  alice = await anAccount()
  bob = await anAccount()
})
afterAll(async () => {
  await owner.close()
  await database.close()
})

function aNetwork(sandboxInstance: string | null, family: Family = 'evm'): NetworkConfig {
  const network = parseNetworkId('eip155:84532')
  if (!network) throw new Error('not a network')
  return {
    network,
    family,
    name: 'a network',
    sandbox: sandboxInstance !== null,
    sandboxInstance,
    rpcUrls: [],
    assets: [],
    releaseDepth: 0,
    finality: { kind: 'tag' },
    blockTimeMilliseconds: 1000,
    fees: { feePerGasMax: 1n, tipPerGasDefault: 1n, ceilingMultiple: 1n, bumpAfterBlocks: 1 },
  }
}

async function anAccount(): Promise<AccountId> {
  const id = newId(random, 'acct')
  await write(database.store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [
    id,
  ])
  return id
}

async function stored(accountId: AccountId, label: string | null = null): Promise<Wallet> {
  const wallet = await createWallet(custody, { accountId, family: 'evm', label })
  await database.store.inTransaction(accountId, (tx) => insertWallet(tx, custody.wrapper, wallet))
  return wallet
}

const find = (accountId: AccountId, address: string) =>
  database.store.inTransaction(accountId, (tx) => findWallet(tx, accountId, 'evm', address))

describe('wallets', () => {
  test('come back as they were stored, for their account alone', async () => {
    const wallet = await stored(alice, 'till')
    expect(await find(alice, wallet.address)).toEqual({
      ...wallet,
      sealedDataKey: Buffer.from(wallet.sealedDataKey),
      sealedPrivateKey: Buffer.from(wallet.sealedPrivateKey),
    })
    expect(await find(bob, wallet.address)).toBeUndefined()
    const bobs = await database.store.inTransaction(bob, (tx) => listWallets(tx, bob))
    expect(bobs).toEqual([])
    const read = await database.store.inTransaction(bob, (tx) => readWallet(tx, bob, wallet.id))
    expect(read).toBeUndefined()
  })

  test('that are looked up together come back to their own askers, in order', async () => {
    const [hers, his, gone] = [await stored(alice), await stored(bob), await stored(bob)]
    const now = systemClock.nowMilliseconds()
    await database.store.inTransaction(bob, (tx) => markWalletDeleted(tx, bob, gone.id, now))
    const asked = [
      [bob, hers],
      [alice, hers],
      [bob, gone],
      [alice, his],
      [bob, his],
      [alice, hers],
    ] as const
    const found = await findWallets(
      database.store,
      asked.map(([accountId, { family, address }]) => ({ accountId, family, address })),
    )
    const ids = [undefined, hers.id, undefined, undefined, his.id, hers.id]
    expect(found.map((wallet) => wallet?.id)).toEqual(ids)
  })

  test('are gone once deleted, and no signer keeps them after that', async () => {
    const wallet = await stored(alice)
    const now = systemClock.nowMilliseconds()
    await database.store.inTransaction(bob, (tx) => markWalletDeleted(tx, bob, wallet.id, now))
    expect(await find(alice, wallet.address)).toBeDefined()
    await database.store.inTransaction(alice, (tx) => markWalletDeleted(tx, alice, wallet.id, now))
    expect(await find(alice, wallet.address)).toBeUndefined()
    expect(await database.store.inTransaction(alice, (tx) => keepWallet(tx, wallet.id))).toBe(false)
  })

  test('that a signer keeps cannot be deleted before it is done, and two signers do not wait', async () => {
    const wallet = await stored(alice)
    const order: string[] = []
    const locked = await database.store.inTransaction(alice, async (tx) => {
      expect(await keepWallet(tx, wallet.id)).toBe(true)
      expect(
        await database.store.inTransaction(alice, (other) => keepWallet(other, wallet.id)),
      ).toBe(true)
      const deleting = database.store.inTransaction(alice, async (other) => {
        await lockWallet(other, alice, wallet.id)
        order.push('deleted')
      })
      await waitingForLock()
      order.push('signed')
      return { deleting }
    })
    await locked.deleting
    expect(order).toEqual(['signed', 'deleted'])
  })

  test('of a family without an enabled network are refused', async () => {
    const order = { accountId: alice, family: 'solana', label: null } as const
    await expect(createWallet(custody, order)).rejects.toMatchObject({
      code: 'UNSUPPORTED_NETWORK',
    })
    const without = { ...custody, networks: [] }
    const evm = { ...order, family: 'evm' } as const
    await expect(createWallet(without, evm)).rejects.toMatchObject({ code: 'UNSUPPORTED_NETWORK' })
  })

  test('stop at the limit, also when two are made at once', async () => {
    const carol = await anAccount()
    await write(
      database.store,
      'test_fill',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       select 'wal_' || lpad(translate(n::text, '0', 'A'), 22, 'z'), $1, 'evm', 'n' || n, '', ''
       from generate_series(1, $2) n`,
      [carol, limits.walletsPerAccountMax - 1],
    )
    const outcomes = await Promise.allSettled([stored(carol), stored(carol), stored(carol)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ])
  })
})

describe('a signer', () => {
  test('signs for its own address until it is erased', async () => {
    const wallet = await stored(alice)
    const signer = await openSigner(custody, wallet, aNetwork(INSTANCE))
    const digest = systemRandom.bytes(32)
    expect(recoverAddress(digest, await signer.sign(digest))).toBe(wallet.address)
    signer.erase()
    await expect(signer.sign(digest)).rejects.toThrow('erased')
  })

  test.each([
    ['another sandbox', aNetwork('sandbox-two')],
    ['a real network', aNetwork(null)],
    ['another family', aNetwork(INSTANCE, 'solana')],
  ])('of a sandbox key is refused for %s', async (_, network) => {
    const wallet = await stored(alice)
    const opening = openSigner(custody, wallet, network)
    await expect(opening).rejects.toMatchObject({ code: 'UNSUPPORTED_NETWORK' })
  })

  test('of a production key is refused for a sandbox', async () => {
    const production = { ...custody, networks: [aNetwork(null)] }
    const wallet = await createWallet(production, { accountId: alice, family: 'evm', label: null })
    expect(wallet.sandboxInstance).toBeNull()
    const opening = openSigner(custody, wallet, aNetwork(INSTANCE))
    await expect(opening).rejects.toMatchObject({ code: 'UNSUPPORTED_NETWORK' })
  })

  test('does not open a row that was moved to another wallet or sandbox in the database', async () => {
    const [mine, theirs] = [await stored(alice), await stored(bob)]
    const swapped = {
      ...mine,
      sealedDataKey: theirs.sealedDataKey,
      sealedPrivateKey: theirs.sealedPrivateKey,
    }
    await expect(openSigner(custody, swapped, aNetwork(INSTANCE))).rejects.toThrow(SealBroken)
    const moved = { ...mine, sandboxInstance: null }
    await expect(openSigner(custody, moved, aNetwork(null))).rejects.toThrow(SealBroken)
    const stolen = { ...theirs, accountId: alice }
    await expect(openSigner(custody, stolen, aNetwork(INSTANCE))).rejects.toThrow(SealBroken)
  })
})

test('no key that was ever drawn lies in clear in any column of the database', async () => {
  await stored(alice, 'canary')
  const deps = { store: database.store, wrapper: custody.wrapper, random }
  for (const name of ['key-pepper', 'proof-key'] as const) {
    drawn.push(Buffer.from((await loadInstallationSecret(deps, name)).reveal()).toString('hex'))
  }
  const dump = await everything()
  expect(dump).toContain('canary')
  expect(drawn.length).toBeGreaterThan(20)
  for (const hex of drawn) {
    const bytes = Buffer.from(hex, 'hex')
    const forms = [
      hex,
      Buffer.from(hex).toString('hex'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
    ]
    // A boolean, so that a failure does not print what it found.
    expect(forms.some((form) => dump.toLowerCase().includes(form.toLowerCase()))).toBe(false)
  }
})

async function everything(): Promise<string> {
  const tables = await database.store.query<{ name: string }>(
    'test_tables',
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) =>
      database.store.query<{ row: string }>(
        `test_dump_${name}`,
        `select t::text as row from ${name} t`,
      ),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

async function waitingForLock(): Promise<void> {
  await until(
    'the deletion waits for the signer',
    async () => {
      const [row] = await owner.query<{ waiting: string }>(
        'test_waiting',
        `select count(*) as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return row?.waiting !== '0'
    },
    { seconds: 30 },
  )
}
