import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One forward step of the schema. `breaking`: code that does not know it must not run on it. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly breaking: boolean
  /** SHA-256 of the text with plain line ends, in hex. */
  readonly checksum: string
}

const FILE = /^(\d{6})_[a-z0-9_]+\.sql$/
const BREAKING = /^--! breaking\n/

/** Makes a migration of a file's name and text. */
export function parseMigration(name: string, text: string): Migration {
  const number = Number(FILE.exec(name)?.[1])
  if (!Number.isInteger(number)) throw new Error(`${name} is not named 000001_what_it_does.sql`)
  const sql = text.replaceAll('\r\n', '\n')
  return {
    number,
    name,
    sql,
    breaking: BREAKING.test(sql),
    checksum: createHash('sha256').update(sql).digest('hex'),
  }
}

/** Reads the migrations of a directory in order. Their numbers run from 1 without a gap. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d.*\.sql$/.test(name)).sort()
  const migrations = await Promise.all(
    names.map(async (name) => parseMigration(name, await readFile(join(directory, name), 'utf8'))),
  )
  const stray = migrations.find(({ number }, index) => number !== index + 1)
  if (stray !== undefined) throw new Error(`${stray.name} does not follow the one before it`)
  return migrations
}
