import { writeFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import type { Random } from '../kernel/random.ts'
import { KeyUnusable, keyFromText, loadOrCreateKeyFile } from './key-file.ts'

let directory: string
let path: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'florin-key-'))
  path = join(directory, 'master.key')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const load = () => loadOrCreateKeyFile({ path, random: systemRandom })
const textOf = (key: { reveal(): Uint8Array }) => Buffer.from(key.reveal()).toString()

describe('the key file', () => {
  test('is made once with 32 random bytes, for its owner alone', async () => {
    const made = await load()
    expect(textOf(made)).toMatch(/^[0-9a-f]{64}$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(textOf(await load())).toBe(textOf(made))
    expect(await readdir(directory)).toEqual(['master.key'])
  })

  test('is one key when many processes make it at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 16 }, load))
    expect(new Set(keys.map(textOf)).size).toBe(1)
    expect(await readdir(directory)).toEqual(['master.key'])
  })

  test('is the key of the process that was first, to the last moment', async () => {
    const first = 'f'.repeat(64)
    const random: Random = {
      bytes: (length) => {
        writeFileSync(path, first, { mode: 0o600 })
        return systemRandom.bytes(length)
      },
    }
    expect(textOf(await loadOrCreateKeyFile({ path, random }))).toBe(first)
    expect(textOf(await load())).toBe(first)
  })

  test.each([0o640, 0o604, 0o660, 0o601])(
    'is refused when others can touch it: %o',
    async (mode) => {
      await load()
      await chmod(path, mode)
      await expect(load()).rejects.toThrow(/chmod 600/)
    },
  )

  test('is the same key as its text in the environment', async () => {
    const made = await load()
    expect(textOf(keyFromText(await readFile(path, 'utf8')))).toBe(textOf(made))
  })

  test.each(['', '\n', 'too short to be a key', ' '.repeat(100)])('%j is no key', async (text) => {
    await writeFile(path, text, { mode: 0o600 })
    await expect(load()).rejects.toThrow(KeyUnusable)
    expect(() => keyFromText(text)).toThrow(KeyUnusable)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  test('is refused when it is a directory or too large', async () => {
    await expect(loadOrCreateKeyFile({ path: directory, random: systemRandom })).rejects.toThrow()
    await writeFile(path, 'x'.repeat(5_000), { mode: 0o600 })
    await expect(load()).rejects.toThrow(KeyUnusable)
  })

  test('never shows its text in an error', async () => {
    await writeFile(path, 'canary-short', { mode: 0o600 })
    const error = await load().catch((caught: unknown) => caught)
    expect(String(error)).not.toContain('canary')
  })
})
