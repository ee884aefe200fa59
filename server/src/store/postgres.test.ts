import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { brokenConstraint, openStore, sqlState, StoreUnavailable } from './postgres.ts'
import type { Tx } from './postgres.ts'
import { openTestDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

const log = openLog('silent')
const SEEN_ACCOUNT = "select nullif(current_setting('app.account_id', true), '') as account"

async function addFollower(tx: Tx, network: string): Promise<void> {
  await tx.query('add', 'insert into followers (network) values ($1)', [network])
}

async function hasFollower(network: string): Promise<boolean> {
  const rows = await database.store.query('has', 'select from followers where network = $1', [
    network,
  ])
  return rows.length === 1
}

describe('a transaction', () => {
  test('of an instance that hangs is given up before those who wait for its rows give up', async () => {
    const set = await database.store.query<{ name: string; milliseconds: string }>(
      'settings',
      `select name, setting as milliseconds from pg_settings where name in ('idle_in_transaction_session_timeout', 'lock_timeout')`,
    )
    const of = new Map(set.map(({ name, milliseconds }) => [name, Number(milliseconds)]))
    const idle = of.get('idle_in_transaction_session_timeout')
    expect(idle).toBeGreaterThan(0)
    expect(idle).toBeLessThan(of.get('lock_timeout') ?? 0)
  })

  test('knows its account while it lasts, and the connection is the service again', async () => {
    const account = newId(systemRandom, 'acct')
    const store = openStore({ url: database.url, log })
    const inside = await store.inTransaction(account, (tx) => tx.query('seen', SEEN_ACCOUNT))
    expect(inside).toEqual([{ account }])
    expect(await store.query('seen', SEEN_ACCOUNT)).toEqual([{ account: 'service' }])
    const failed = store.inTransaction(account, async () => await Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(await store.query('seen', SEEN_ACCOUNT)).toEqual([{ account: 'service' }])
    await store.close()
  })

  test('of the service plans a statement once for all values, and one of an account for its own', async () => {
    const store = openStore({ url: database.url, log })
    /** How often a statement with a value was planned anew, and how often one plan served, when it was asked three times. */
    const plans = (scope: Parameters<typeof store.inTransaction>[0], name: string) =>
      store.inTransaction(scope, async (tx) => {
        for (const value of [1, 2, 3]) {
          await tx.query(name, 'select from followers where height = $1', [value])
        }
        const [row] = await tx.query<{ anew: string; once: string }>(
          'test_plans',
          'select custom_plans as anew, generic_plans as once from pg_prepared_statements where name = $1',
          [name],
        )
        return { anew: Number(row?.anew), once: Number(row?.once) }
      })
    expect(await plans('service', 'test_of_service')).toEqual({ anew: 0, once: 3 })
    expect(await plans(newId(systemRandom, 'acct'), 'test_of_account')).toEqual({
      ...{ anew: 3, once: 0 },
    })
    expect(await plans('service', 'test_of_service_again')).toEqual({ anew: 0, once: 3 })
    await store.close()
  })

  test('takes no scope that is not an account, whatever the types said', async () => {
    const forged = "service'; drop table payments; --" as AccountId
    const attempt = database.store.inTransaction(forged, async () => undefined)
    await expect(attempt).rejects.toThrow('not a scope')
  })

  test('leaves nothing behind when its work throws', async () => {
    const attempt = database.store.inTransaction('service', async (tx) => {
      await addFollower(tx, 'thrown')
      throw new Error('changed our mind')
    })
    await expect(attempt).rejects.toThrow('changed our mind')
    expect(await hasFollower('thrown')).toBe(false)
  })

  test('says so when a failed statement was passed over, for then nothing is committed', async () => {
    const attempt = database.store.inTransaction('service', async (tx) => {
      await addFollower(tx, 'passed-over')
      await tx.query('bad', 'select 1/0').catch(() => undefined)
    })
    await expect(attempt).rejects.toThrow('nothing was committed')
    expect(await hasFollower('passed-over')).toBe(false)
  })

  test('cannot be used after its end', async () => {
    const kept = await database.store.inTransaction('service', async (tx) => tx)
    await expect(addFollower(kept, 'late')).rejects.toThrow('over')
  })

  test('names the constraint it broke and leaves the connection usable', async () => {
    const store = openStore({ url: database.url, log })
    const pid = 'select pg_backend_pid() as pid'
    const before = await store.query('pid', pid)
    const attempt = store.inTransaction('service', async (tx) => {
      await addFollower(tx, 'twice')
      await addFollower(tx, 'twice')
    })
    const error: unknown = await attempt.catch((caught: unknown) => caught)
    expect(sqlState(error)).toBe('23505')
    expect(brokenConstraint(error)).toBe('followers_pkey')
    expect(await store.query('pid', pid)).toEqual(before)
    await store.close()
  })
})

describe('connections at work', () => {
  test('are so many, and more once somebody has waited for them', async () => {
    const store = openStore({ url: database.url, log, atWork: 2 })
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = ends.map(({ promise }) => store.inTransaction('service', () => promise))
    const beside = store.query<{ one: number }>('one', 'select 1 as one')
    expect(store.pool().waiting).toBe(1)
    // Nobody of those before it ends.
    expect(await beside).toEqual([{ one: 1 }])
    for (const { resolve } of ends) resolve()
    await Promise.all(slow)
    await store.close()
  })

  test('are free again after whatever was done with them', async () => {
    const store = openStore({ url: database.url, log, atWork: 1 })
    for (const work of [
      () => store.query('one', 'select 1'),
      () => store.query('bad', 'select 1/0'),
      () => store.write('bad_write', 'select 1/0'),
      () => store.inTransaction('service', async () => Promise.reject(new Error('no'))),
      () => store.query('last', 'select 1'),
    ]) {
      const done = work()
      expect(store.pool().waiting).toBe(0)
      await done.catch(() => undefined)
    }
    await store.close()
    const away = openStore({
      ...{ url: new Secret('postgresql://a@127.0.0.1:1/florin'), log, atWork: 1 },
    })
    for (let count = 0; count < 3; count += 1) {
      const done = away.query('one', 'select 1')
      expect(away.pool().waiting).toBe(0)
      await expect(done).rejects.toBeInstanceOf(StoreUnavailable)
    }
    await away.close()
  })
})

describe('values', () => {
  test('int8, numeric and arrays of them arrive as exact text', async () => {
    const big = '9'.repeat(78)
    const text = `select ${big}::numeric(78,0) as n, 9223372036854775807::int8 as i,
      array[${big}, null, 0.1]::numeric[] as ns, array[9007199254740993]::int8[] as is,
      '{}'::numeric[] as none`
    expect(await database.store.query('exact', text)).toEqual([
      {
        n: big,
        i: '9223372036854775807',
        ns: [big, null, '0.1'],
        is: ['9007199254740993'],
        none: [],
      },
    ])
  })
})

describe('trouble', () => {
  test('a backend killed in mid-statement is StoreUnavailable, and the next call works', async () => {
    const store = openStore({ url: database.url, log })
    const slow = store.query('slow', 'select pg_sleep(60)')
    const outcome = slow.catch((error: unknown) => error)
    await until(
      'the slow statement runs and is terminated',
      async () => {
        const { rowCount } = await owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where query = 'select pg_sleep(60)' and datname = current_database()`,
        )
        return rowCount === 1
      },
      { seconds: 30 },
    )
    expect(await outcome).toBeInstanceOf(StoreUnavailable)
    expect(await store.query('one', 'select 1 as one')).toEqual([{ one: 1 }])
    await store.close()
  })

  test('a connection lost between two statements is StoreUnavailable, nothing is committed', async () => {
    const attempt = database.store.inTransaction('service', async (tx) => {
      await addFollower(tx, 'lost')
      const [row] = await tx.query<{ pid: number }>('pid', 'select pg_backend_pid() as pid')
      await owner.query('select pg_terminate_backend($1, 5000)', [row?.pid])
      await addFollower(tx, 'lost-again')
    })
    await expect(attempt).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await hasFollower('lost')).toBe(false)
  })

  test('a deadlock is StoreUnavailable for one of the two and success for the other', async () => {
    await database.store.inTransaction('service', async (tx) => {
      await addFollower(tx, 'left')
      await addFollower(tx, 'right')
    })
    let arrived = 0
    const lockBoth = (first: string, second: string) =>
      database.store.inTransaction('service', async (tx) => {
        const lock = 'select from followers where network = $1 for update'
        await tx.query('lock', lock, [first])
        arrived += 1
        await until('both hold their first lock', () => arrived === 2, { seconds: 30 })
        await tx.query('lock', lock, [second])
      })
    const both = await Promise.allSettled([lockBoth('left', 'right'), lockBoth('right', 'left')])
    const losers = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    expect(losers).toHaveLength(1)
    expect(losers[0]).toBeInstanceOf(StoreUnavailable)
  })

  test('a database that is there and has no room is in trouble, and not unreachable', async () => {
    const full = database.store.query(
      'full',
      `do $$ begin raise sqlstate '53100' using message = 'No space left on device'; end $$`,
    )
    const error: unknown = await full.catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).toMatchObject({
      message: 'the database is in trouble',
      cause: { message: 'No space left on device' },
    })
    expect(await database.store.query('after', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('an address where nothing listens is StoreUnavailable, and no password is in what it says', async () => {
    const url = new Secret('postgres://florin:canary-7f3a@127.0.0.1:1/florin')
    const store = openStore({ url, log })
    const error: unknown = await store.query('one', 'select 1').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(JSON.stringify(error) + String(error)).not.toContain('canary')
    await store.close()
  })

  test('an address that would replace the role of the service is refused', () => {
    const url = new Secret(`${database.url.reveal()}?options=-c%20role=florin`)
    expect(() => openStore({ url, log })).toThrow('options')
  })

  test('a mistake in our own SQL is not reported as an outage', async () => {
    const { store } = database
    await expect(store.query('typo', 'selekt 1')).rejects.not.toBeInstanceOf(StoreUnavailable)
    await store.query('same-name', 'select 1')
    const other = store.query('same-name', 'select 2')
    await expect(other).rejects.not.toBeInstanceOf(StoreUnavailable)
  })

  test('closing twice is closing once', async () => {
    const store = openStore({ url: database.url, log })
    await Promise.all([store.close(), store.close()])
    await expect(store.query('one', 'select 1')).rejects.toBeInstanceOf(StoreUnavailable)
  })
})
