import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openKeyEncryptionKey } from './key-encryption-key.ts'
import { KeyUnusable, keyFromText } from './key-file.ts'
import { localKeyWrapper } from './key-wrapper.ts'
import { loadInstallationSecret } from './installation-secrets.ts'
import { write } from '../store/test-write.ts'

const random = systemRandom
const TEXT = 'a key text of an installation, long enough'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(() =>
  write(database.store, 'test_clear', 'delete from installation_secrets').then(() => undefined),
)

const open = (text = TEXT) =>
  openKeyEncryptionKey({ store: database.store, text: keyFromText(text), random })
const hex = (key: { reveal(): Uint8Array }) => Buffer.from(key.reveal()).toString('hex')

describe('the key-encryption key', () => {
  test('is the same at every start and on every instance, also when two start at once', async () => {
    const [one, two] = await Promise.all([open(), open()])
    expect(hex(one)).toBe(hex(two))
    expect(hex(await open())).toBe(hex(one))
    expect(hex(await open(`\n${TEXT} \n`))).toBe(hex(one))
  })

  test('is another one in another installation, for the same text', async () => {
    const one = hex(await open())
    await write(database.store, 'test_clear', 'delete from installation_secrets')
    expect(hex(await open())).not.toBe(one)
  })

  test('is refused at start when it is not the one that sealed the keys, with what to set', async () => {
    await open()
    await expect(open(`${TEXT}.`)).rejects.toThrow(KeyUnusable)
    await expect(open(`${TEXT}.`)).rejects.toThrow(/FLORIN_KEY_FILE .*FLORIN_DATA_DIR /)
  })

  test.each([
    ['less work', 1, 14],
    ['more memory', 1, 30],
    ['another block size', 2, 1],
    ['another layout', 0, 2],
    ['another salt', 5, null],
    ['another check', 30, null],
  ])('is refused when the stored derivation was changed: %s', async (_, index, value) => {
    await open()
    await write(
      database.store,
      'test_tamper',
      `update installation_secrets set sealed = set_byte(sealed, $1::integer,
         coalesce($2::integer, (get_byte(sealed, $1::integer) + 1) % 256))`,
      [index, value],
    )
    await expect(open()).rejects.toThrow(KeyUnusable)
  })
})

describe('installation secrets', () => {
  test('are made once, however many instances ask at once, and last', async () => {
    const wrapper = localKeyWrapper({ keyEncryptionKey: await open(), random })
    const deps = { store: database.store, wrapper, random }
    const load = () => loadInstallationSecret(deps, 'key-pepper')
    const secrets = await Promise.all(Array.from({ length: 8 }, load))
    expect(new Set(secrets.map(hex)).size).toBe(1)
    expect(hex(await load())).toBe(hex(secrets[0] ?? (await load())))
    expect(hex(await loadInstallationSecret(deps, 'proof-key'))).not.toBe(hex(await load()))
    expect((await load()).reveal()).toHaveLength(32)
  })

  test('cannot stand in for each other', async () => {
    const wrapper = localKeyWrapper({ keyEncryptionKey: await open(), random })
    const deps = { store: database.store, wrapper, random }
    await loadInstallationSecret(deps, 'key-pepper')
    await loadInstallationSecret(deps, 'proof-key')
    await write(
      database.store,
      'test_swap',
      `update installation_secrets set sealed =
         (select sealed from installation_secrets where name = 'proof-key') where name = 'key-pepper'`,
    )
    await expect(loadInstallationSecret(deps, 'key-pepper')).rejects.toThrow('does not open')
  })
})
