import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { privateKeyToAddress } from 'viem/accounts'
import { createAccount } from '../access/create-account.ts'
import { encodeBase58 } from '../chains/solana/base58.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { SecretBytes } from '../kernel/secret.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { testNetwork } from '../chains/evm/test-network.ts'
import type { Custody } from './create-wallet.ts'
import { evmKeys } from './evm-keys.ts'
import { importWallet } from './import-wallet.ts'
import { readImportedKey } from './imported-key.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import { openSigner } from './signer.ts'
import { solanaKeys } from './solana-keys.ts'
import { listWallets, markWalletDeleted } from './store.ts'

/** A pair as solana-keygen writes it, from an implementation that is not ours. */
function solanaPair(): Uint8Array {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const half = (der: Buffer) => der.subarray(der.length - 32)
  return Buffer.concat([
    half(privateKey.export({ format: 'der', type: 'pkcs8' })),
    half(publicKey.export({ format: 'der', type: 'spki' })),
  ])
}

describe('a private key that somebody brings', () => {
  test('is read from hex, with and without 0x, in any case', () => {
    const hex = randomBytes(32).toString('hex')
    for (const text of [hex, `0x${hex}`, ` 0x${hex.toUpperCase()}\r\n`]) {
      const read = readImportedKey(text)
      expect(read).toMatchObject({ ok: true, family: 'evm' })
      expect(read.ok && Buffer.from(read.privateKey.reveal()).toString('hex')).toBe(hex)
    }
  })

  test('is read from the 64 bytes of Solana, in base58 and as an array', () => {
    const pair = solanaPair()
    for (const text of [
      encodeBase58(pair),
      JSON.stringify([...pair]),
      `[${[...pair].join(', ')}]\n`,
    ]) {
      const read = readImportedKey(text)
      expect(read).toMatchObject({ ok: true, family: 'solana' })
      expect(read.ok && Buffer.from(read.privateKey.reveal())).toEqual(
        Buffer.from(pair.slice(0, 32)),
      )
    }
  })

  const broken = solanaPair()
  broken[40] = (broken[40] ?? 0) ^ 1
  test.each([
    ['nothing', ''],
    ['too few digits', 'ab'.repeat(31)],
    ['too many digits', 'ab'.repeat(33)],
    ['zero', '00'.repeat(32)],
    ["the group's order", 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
    ['halves of two pairs', encodeBase58(broken)],
    ['half of a pair', encodeBase58(solanaPair().slice(0, 32))],
    ['an array of another length', JSON.stringify([...solanaPair(), 1])],
    ['an array of no bytes', JSON.stringify(Array.from({ length: 64 }, () => 256))],
    [
      'a seed phrase',
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
    ],
    ['a broken array', '[1,2'],
  ])('is refused when it is %s, and not repeated', (_, text) => {
    const read = readImportedKey(text)
    expect(read.ok).toBe(false)
    if (!read.ok && text !== '') expect(read.reason).not.toContain(text.slice(0, 12))
  })
})

describe('an imported wallet', () => {
  let database: TestDatabase
  let custody: Custody
  let ours: AccountId
  let theirs: AccountId
  beforeAll(async () => {
    database = await openTestDatabase()
    const deps = { store: database.store, clock: systemClock, random: systemRandom }
    ours = (await createAccount(deps, 'ours')).accountId
    theirs = (await createAccount(deps, 'theirs')).accountId
    custody = {
      wrapper: localKeyWrapper({
        keyEncryptionKey: new SecretBytes(randomBytes(32)),
        random: systemRandom,
      }),
      schemes: [evmKeys(deps), solanaKeys(deps)],
      networks: [testNetwork([])],
      random: systemRandom,
      clock: systemClock,
    }
  })
  afterAll(() => database.close())

  const keyOf = (bytes: Uint8Array) => new SecretBytes(Uint8Array.from(bytes))
  const bring = (bytes: Uint8Array, accountId = ours, domain: Partial<Custody> = {}) =>
    importWallet(
      { store: database.store, custody: { ...custody, ...domain } },
      { accountId, family: 'evm', label: 'till', privateKey: keyOf(bytes) },
    )

  test('has the address of its key, signs, and is sealed like any other', async () => {
    const bytes = randomBytes(32)
    const { wallet, was } = await bring(bytes)
    expect(was).toBe('new')
    expect(wallet.address).toBe(privateKeyToAddress(`0x${bytes.toString('hex')}`))
    const stored = Buffer.concat([wallet.sealedDataKey, wallet.sealedPrivateKey])
    expect(stored.includes(bytes)).toBe(false)
    const signer = await openSigner(custody, wallet, testNetwork([]))
    expect(await signer.sign(new Uint8Array(32).fill(7))).toHaveLength(65)
    signer.erase()
  })

  test('is the same one when its key comes again, however many come at once', async () => {
    const bytes = randomBytes(32)
    const all = await Promise.all(Array.from({ length: 8 }, () => bring(bytes)))
    expect(new Set(all.map(({ wallet }) => wallet.id)).size).toBe(1)
    expect(all.filter(({ was }) => was === 'new')).toHaveLength(1)
  })

  test("is nobody else's, not even when it was deleted, and not of another sandbox", async () => {
    const bytes = randomBytes(32)
    const { wallet } = await bring(bytes)
    await expect(bring(bytes, theirs)).rejects.toThrow('another account')
    await database.store.inTransaction(ours, (tx) => markWalletDeleted(tx, ours, wallet.id, 1))
    await expect(bring(bytes, theirs)).rejects.toThrow('another account')
    const networks = [testNetwork([], { sandboxInstance: 'other' })]
    await expect(bring(bytes, ours, { networks })).rejects.toThrow('another sandbox')
    const mine = await database.store.inTransaction(theirs, (tx) => listWallets(tx, theirs))
    expect(mine).toEqual([])
  })

  test('comes back when its account had deleted it', async () => {
    const bytes = randomBytes(32)
    const { wallet } = await bring(bytes)
    await database.store.inTransaction(ours, (tx) => markWalletDeleted(tx, ours, wallet.id, 1))
    expect(await bring(bytes)).toMatchObject({ was: 'restored', wallet: { id: wallet.id } })
    const there = await database.store.inTransaction(ours, (tx) => listWallets(tx, ours))
    expect(there.map(({ id }) => id)).toContain(wallet.id)
    expect(await bring(bytes)).toMatchObject({ was: 'there' })
  })

  test('needs an enabled network of its family', async () => {
    await expect(bring(randomBytes(32), ours, { networks: [] })).rejects.toMatchObject({
      code: 'UNSUPPORTED_NETWORK',
    })
  })
})
