import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { EARLIER_TEXTS } from './earlier-texts.ts'
import { lookAtDatabase } from './look-at-database.ts'
import { migrate, MIGRATIONS_DIRECTORY } from './migrate.ts'
import { parseMigration } from './migration-files.ts'
import { dumpSchema } from './schema-dump.ts'
import { openTestDatabase } from './test-database.ts'

const log = openLog('silent')

const DORMANT = " and look_at < 'infinity'"
const RAISED = `-- References that cannot be wrong: whose row is named was written, read or locked by the same transaction, and none of these rows is ever
-- deleted. Each was looked up again for every payment, which was a seventh of what the database did for a settlement. The doctor holds them.

-- Whoever uses these tables waits behind this as long as it waits itself.
set local lock_timeout = '3s';
`
const ENTRIES = `-- Each change of a payment writes a new entry into every index that has its row, so an index has only the rows that are looked for in it.

set local statement_timeout = 0;

-- Deposits are told apart by their occurrence; rows without one never were.
drop index payments_received_once;
create unique index payments_received_once on payments
  (network, transaction_hash, recipient, asset, sender, amount, occurrence)
  where type = 'received' and occurrence is not null;

-- What may still cost a wallet something; what is received has none.
drop index payments_open;
create index payments_open on payments (wallet_id, network)
  where status in ('pending', 'confirmed') and wallet_id is not null;
`

/** Each migration's earlier texts, oldest first, made of the one of today. */
const EARLIER: ReadonlyMap<string, readonly ((text: string) => string)[]> = new Map([
  ['000044_fewer_index_entries.sql', [() => ENTRIES]],
  [
    '000045_room_for_answers.sql',
    [(text: string) => text.replace(/-- Whoever uses.*\nset local.*\n\n/, '')],
  ],
  [
    '000046_references_by_construction.sql',
    [(text: string) => text.replace(/^[^]*statement_timeout to default;\n/, RAISED)],
  ],
  [
    '000050_many_builds.sql',
    [
      (text: string) => text.replace(/\n-- When a build is looked at next\.[^]*$/, ''),
      (text: string) => text.replace(/;\n(?=drop index builds_looks)/, `${DORMANT};\n`),
    ],
  ],
])

test('a database of earlier texts is taken, and becomes what all others are', async () => {
  const database = await openTestDatabase()
  const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  const directory = await mkdtemp(join(tmpdir(), 'florin-migrations-'))
  const made: string[] = []
  try {
    const known = new Set([...EARLIER_TEXTS.values()].flat())
    for (const round of [0, 1]) {
      for (const name of await readdir(MIGRATIONS_DIRECTORY)) {
        if (!/^\d{6}_/.test(name) || name >= '000055') continue
        const text = await readFile(join(MIGRATIONS_DIRECTORY, name), 'utf8')
        const earlier = EARLIER.get(name)?.[round]?.(text) ?? text
        known.delete(parseMigration(name, earlier).checksum)
        await writeFile(join(directory, name), earlier)
      }
      const name = `earlier_${Buffer.from(systemRandom.bytes(8)).toString('hex')}`
      await owner.query(`create database ${name} template template0 strategy file_copy`)
      made.push(name)
      const address = new URL(database.ownerUrl.reveal())
      address.pathname = `/${name}`
      const url = new Secret(address.href)
      await migrate({ url, log, directory })

      expect(await lookAtDatabase({ url, log })).toMatchObject({ unusable: undefined })
      expect((await migrate({ url, log })).names[0]).toBe('000055_earlier_texts.sql')
      const client = new pg.Client({ connectionString: url.reveal() })
      await client.connect()
      const dump = await dumpSchema(client)
      await client.end()
      expect(dump).toBe(await readFile(join(MIGRATIONS_DIRECTORY, 'schema.sql'), 'utf8'))
    }
    expect([...known], 'texts that are listed and never were').toEqual([])
  } finally {
    for (const name of made) await owner.query(`drop database ${name} with (force)`)
    await owner.end()
    await database.close()
    await rm(directory, { recursive: true })
  }
})
