import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { lookAtDatabase } from './look-at-database.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

const log = openLog('silent')
const STRANGER = `stranger_${Buffer.from(systemRandom.bytes(6)).toString('hex')}`
let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  await owner.query(`create role ${STRANGER} login password 'stranger-password'`)
})
afterAll(async () => {
  await owner.query(`drop owned by ${STRANGER}; drop role ${STRANGER}`)
  await owner.end()
  await database.close()
})

const look = (url = database.url) => lookAtDatabase({ url, log })
const addressOf = (change: { username?: string; password?: string; pathname?: string }) => {
  const url = new URL(database.url.reveal())
  return new Secret(Object.assign(url, change).href)
}
const asStranger = () => addressOf({ username: STRANGER, password: 'stranger-password' })

describe('a database before a service is opened on it', () => {
  test('is open, migrated, and says what it is careless about', async () => {
    expect(await look()).toMatchObject({
      kind: 'open',
      missing: [],
      unusable: undefined,
      mayServe: true,
      // The tests' own PostgreSQL gives up durability for speed.
      careless: ['fsync = off', 'full_page_writes = off'],
    })
  })

  test('turns strangers away, and what it says holds no password', async () => {
    for (const change of [
      { password: 'canary-password' },
      { username: 'nobody' },
      { pathname: '/nowhere' },
    ]) {
      const found = await look(addressOf(change))
      expect(found.kind).toBe('refuses')
      expect(JSON.stringify(found)).not.toContain('canary')
    }
    expect((await look(asStranger())).kind).toBe('refuses')
  })

  test('that asks for a password, or speaks no TLS, says so where the address does not fit it', async () => {
    expect(await look(addressOf({ password: '' }))).toEqual({
      kind: 'refuses',
      reason: 'it asks for a password, and the address holds none',
    })
    expect(await look(new Secret(`${database.url.reveal()}?sslmode=verify-full`))).toEqual({
      kind: 'refuses',
      reason: 'the address asks for TLS, which it does not speak',
    })
  })

  test('is away when nothing listens there', async () => {
    const nobody = new Secret('postgresql://florin:canary@127.0.0.1:1/florin')
    expect(await look(nobody)).toEqual({ kind: 'away', reason: 'ECONNREFUSED' })
  })

  test('does not let everybody act as the service', async () => {
    await owner.query(`grant select on migrations to ${STRANGER}`)
    expect(await look(asStranger())).toMatchObject({ kind: 'open', mayServe: false })
    await owner.query(`grant florin_service to ${STRANGER}`)
    expect(await look(asStranger())).toMatchObject({ kind: 'open', mayServe: true })
  })

  test('lacks what this version brings, or is not for this version at all', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'florin-migrations-'))
    try {
      await writeFile(join(directory, '000001_other.sql'), 'select 1')
      const other = await lookAtDatabase({ url: database.url, log, directory })
      expect(other).toMatchObject({ unusable: expect.stringContaining('is not the text') })
      await owner.query(`create database ${STRANGER}`)
      const empty = await lookAtDatabase({
        url: addressOf({ pathname: `/${STRANGER}` }),
        log,
        directory,
      })
      expect(empty).toMatchObject({ missing: ['000001_other.sql'], unusable: undefined })
    } finally {
      await owner.query(`drop database if exists ${STRANGER} with (force)`)
      await rm(directory, { recursive: true })
    }
  })
})
