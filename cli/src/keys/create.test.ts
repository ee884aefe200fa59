import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runKeysCreate } from './create.ts'

let database: TestDatabase
const directory = mkdtempSync(join(tmpdir(), 'florin-keys-'))
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

async function create(...args: readonly string[]) {
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await runKeysCreate({
    args: ['--name', 'till', ...args],
    environment: {
      FLORIN_DATA_DIR: directory,
      DATABASE_URL: database.url.reveal(),
      FLORIN_KEY: 'a key text of an installation, long enough',
    },
    print: (text) => void printed.push(text),
    note: (text) => void notes.push(text),
  })
  return { code, printed: printed.join(''), notes: notes.join('') }
}

test('a shell that captures what florin keys create prints has the key and nothing else', async () => {
  const { code, printed, notes } = await create()
  expect(code).toBe(0)
  expect(printed).toMatch(/^florin_live_\S+\n$/)
  expect(notes).toContain('This is the only time that this key is shown.')
  expect(notes).not.toContain(printed.trim())
})

test('with --json florin keys create prints one object and remarks nothing', async () => {
  const { printed, notes } = await create('--json')
  expect(JSON.parse(printed)).toMatchObject({ name: 'till', key: expect.any(String) })
  expect(notes).toBe('')
})
