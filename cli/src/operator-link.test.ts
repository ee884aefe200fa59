import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOperatorLink } from './operator-link.ts'

let database: TestDatabase
const directory = mkdtempSync(join(tmpdir(), 'florin-link-'))
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
  await database.close()
})

async function link(...args: readonly string[]) {
  const [printed, notes]: [string[], string[]] = [[], []]
  const code = await runOperatorLink({
    args,
    environment: { FLORIN_DATA_DIR: directory, DATABASE_URL: database.url.reveal() },
    print: (text) => void printed.push(text),
    note: (text) => void notes.push(text),
  })
  return { code, printed: printed.join(''), notes: notes.join('') }
}

test('a shell that captures what florin operator-link prints has the link and nothing else', async () => {
  const { code, printed, notes } = await link()
  expect(code).toBe(0)
  expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:4020\/signin#link=\S+\n$/)
  expect(notes).toContain('It signs in once, within 15 minutes.')
  expect(notes).not.toContain(printed.trim())
})

test('with --json florin operator-link prints one object and remarks nothing', async () => {
  const { printed, notes } = await link('--json')
  expect(JSON.parse(printed)).toEqual({ link: expect.stringContaining('/signin#link=') })
  expect(notes).toBe('')
})
