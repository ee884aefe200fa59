import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '@florin/server/store/migrate.ts'
import { readMigrations } from '@florin/server/store/migration-files.ts'

// A database keeps the sum of each text that was applied to it, and no version starts on one that knows another text.
const KNOWN = join(MIGRATIONS_DIRECTORY, 'texts.sha256')

test('no migration has another text than the one that it was added with', async () => {
  const known = (await readFile(KNOWN, 'utf8')).trimEnd().split('\n')
  const migrations = await readMigrations(MIGRATIONS_DIRECTORY)
  const today = migrations.map(({ checksum, name }) => `${checksum}  ${name}`)
  expect(
    today.slice(0, known.length),
    'A migration is never edited: make another one that changes what it did.',
  ).toEqual(known)
  expect(
    today.slice(known.length),
    'Add the line of a new migration to server/migrations/texts.sha256.',
  ).toEqual([])
})
