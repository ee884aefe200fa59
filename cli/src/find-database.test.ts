import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@florin/server/kernel/secret.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeDatabaseFile } from './database-file.ts'
import { dataPaths } from './data-paths.ts'
import { runDoctor } from './doctor.ts'
import { runKeysList } from './keys/list.ts'
import { runOperatorLink } from './operator-link.ts'
import { writeOwner } from './owner-file.ts'
import { CommandFailed } from './usage-error.ts'
import { runWalletsList } from './wallets/list.ts'

const EMPTY = 'florin_never_migrated'
let database: TestDatabase
let owner: pg.Client
const directory = mkdtempSync(join(tmpdir(), 'florin-find-'))
beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  await owner.query(`create database ${EMPTY}`)
})
afterAll(async () => {
  await owner.query(`drop database if exists ${EMPTY} with (force)`)
  await owner.end()
  rmSync(directory, { recursive: true })
  await database.close()
})

const COMMANDS = [runKeysList, runWalletsList, runOperatorLink, runDoctor]

test.each<[string, { password?: string; pathname?: string }, RegExp]>([
  ['lets nobody in', { password: 'canary' }, /turns us away: .*\. Check DATABASE_URL\.$/],
  ['asks for a password', { password: '' }, /asks for a password.*\. Check DATABASE_URL\.$/],
  ['is not there', { pathname: '/nowhere' }, /turns us away: .*\. Check DATABASE_URL\.$/],
  ['was never migrated', { pathname: `/${EMPTY}` }, /is behind by .*\. Run: florin migrate$/],
])(
  'where the database %s each command that works on it says what to do, in one sentence',
  async (_, change, said) => {
    const url = Object.assign(new URL(database.ownerUrl.reveal()), change)
    for (const run of COMMANDS) {
      const failure = await run({
        args: [],
        environment: { FLORIN_DATA_DIR: directory, DATABASE_URL: url.href },
        print: () => undefined,
        note: () => undefined,
      }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(CommandFailed)
      expect(failure).toMatchObject({ message: expect.stringMatching(said) })
      expect(failure).not.toMatchObject({ message: expect.stringContaining('canary') })
    }
  },
)

test('where an earlier version runs each command says so, and what to do', async () => {
  const paths = dataPaths(directory)
  const url = Object.assign(new URL(database.ownerUrl.reveal()), { pathname: `/${EMPTY}` })
  const keyFile = join(directory, 'master.key')
  await writeDatabaseFile(paths.database, { url: new Secret(url.href), keyFile, sandbox: null })
  await writeOwner(paths.owner, { state: 'ready', baseUrl: null, launchers: [] })
  for (const run of COMMANDS) {
    const failure = await run({
      args: [],
      environment: { FLORIN_DATA_DIR: directory },
      print: () => undefined,
      note: () => undefined,
    }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CommandFailed)
    expect(failure).toMatchObject({
      message: expect.stringMatching(/is behind by .* An earlier version runs in .*: stop it/),
    })
  }
})
