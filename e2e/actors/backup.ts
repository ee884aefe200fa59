import pg from 'pg'
import type { TestDatabase } from '@florin/server/store/test-database.ts'

/** A copy of a database as it was. */
export interface Backup {
  /** Puts the copy in the place of the database: what was committed since is gone. Services must be stopped. */
  restore(): Promise<void>
}

/** Copies a test's database. Services must be stopped; the test's own connections are ended, and open again by themselves. */
export async function backUp({ ownerUrl }: TestDatabase): Promise<Backup> {
  const address = new URL(ownerUrl.reveal())
  const name = address.pathname.slice(1)
  const copy = `${name}_copy`
  await beside(address, name, [`create database ${copy} template ${name} strategy file_copy`])
  return {
    restore: () =>
      beside(address, name, [
        `drop database ${name} with (force)`,
        `alter database ${copy} rename to ${name}`,
      ]),
  }
}

/** Runs statements from another database of the server, once nobody is connected to this one. */
async function beside(address: URL, name: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(address), { pathname: '/postgres' }).href,
  })
  await client.connect()
  try {
    await client.query(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1',
      [name],
    )
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
