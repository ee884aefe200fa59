import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret } from '../kernel/secret.ts'
import { migrate, MIGRATIONS_DIRECTORY } from '../store/migrate.ts'
import { openStore } from '../store/postgres.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { insertPayments } from './store.ts'
import type { Reading } from './test-records.ts'
import { EVM, EVM_OTHER, openReading } from './test-records.ts'
import { write } from '../store/test-write.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())

let database: TestDatabase
let reading: Reading
let owner: pg.Client
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await reading.close()
  await database.close()
})

const COUNTED = `select account_id, type, address, sum(count)::text as count
  from payment_counts group by 1, 2, 3 order by 1, 2, 3`
const THERE = `select account_id, type, case type when 'sent' then sender else recipient end as address,
  count(*)::text as count from payments group by 1, 2, 3 order by 1, 2, 3`
async function expectExact(client: pg.Client = owner): Promise<void> {
  const [counted, there] = [await client.query(COUNTED), await client.query(THERE)]
  expect(counted.rows).toEqual(there.rows)
}

/** A transaction whose steps a test takes one by one. */
async function begin() {
  const turn = Promise.withResolvers<Tx>()
  const end = Promise.withResolvers<void>()
  const ended = database.store.inTransaction('service', async (tx) => {
    turn.resolve(tx)
    await end.promise
  })
  const tx = await turn.promise
  return {
    insert: (sender: Address) => insertPayments(tx, [reading.payment({ sender })]),
    commit: async () => {
      end.resolve()
      await ended
    },
  }
}

test('counts are what counting finds, whatever is inserted at once and taken back', async () => {
  console.info(`payment counts: FLORIN_SEED=${SEED}`)
  const payment = fc.record({
    type: fc.constantFrom('sent', 'received'),
    sender: fc.constantFrom(EVM, EVM_OTHER),
    recipient: fc.constantFrom(EVM, EVM_OTHER),
    account: fc.constantFrom('alice', 'bob'),
  } as const)
  const transaction = fc.record({
    statements: fc.array(fc.array(payment, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
    fails: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(transaction, { minLength: 2, maxLength: 10, size: 'max' }),
      async (transactions) => {
        await Promise.all(
          transactions.map(({ statements, fails }) =>
            database.store
              .inTransaction('service', async (tx) => {
                for (const statement of statements) {
                  const records = statement.map(({ account, ...fields }) =>
                    reading.payment({ ...fields, accountId: reading.accounts[account] }),
                  )
                  await insertPayments(tx, records)
                }
                if (fails) throw new Error('taken back')
              })
              .catch((error: unknown) => expect(error).toMatchObject({ message: 'taken back' })),
          ),
        )
        await expectExact()
      },
    ),
    { seed: SEED, numRuns: 25 },
  )
})

test('two transactions that count the same addresses in opposite order wait for nobody', async () => {
  const [one, other] = [await begin(), await begin()]
  await one.insert(EVM)
  await other.insert(EVM_OTHER)
  await one.insert(EVM_OTHER)
  await other.insert(EVM)
  await other.commit()
  const third = await begin()
  await third.insert(EVM)
  await third.commit()
  await one.commit()
  await expectExact()
})

test('with every shard taken, counting still waits for nobody and is exact', async () => {
  await owner.query('select pg_advisory_lock(7364985, shard) from generate_series(0, 63) shard')
  const [one, other] = [await begin(), await begin()]
  await one.insert(EVM)
  await other.insert(EVM)
  await other.commit()
  await one.commit()
  await owner.query('select pg_advisory_unlock_all()')
  const { rows } = await owner.query('select from payment_counts where shard > 63')
  expect(rows).toHaveLength(2)
  await expectExact()
})

test('the service cannot write counts of its own', async () => {
  const statements = [
    `update payment_counts set count = count + 1`,
    `insert into payment_counts values ('a', 'b', 'sent', 0, 1)`,
    `delete from payment_counts`,
  ]
  for (const [index, statement] of statements.entries()) {
    await expect(write(database.store, `test_count_${index}`, statement)).rejects.toThrow(
      'permission denied',
    )
  }
})

test('payments from before the counts are counted by the migration', async () => {
  const name = `before_${Buffer.from(systemRandom.bytes(8)).toString('hex')}`
  const directory = await mkdtemp(join(tmpdir(), 'florin-migrations-'))
  const url = new URL(database.ownerUrl.reveal())
  url.pathname = `/${name}`
  const log = openLog('silent')
  await owner.query(`create database ${name} template template0 strategy file_copy`)
  const client = new pg.Client({ connectionString: url.href })
  try {
    const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((file) => /^00000[1-3]_/.test(file))
    for (const file of files)
      await copyFile(join(MIGRATIONS_DIRECTORY, file), join(directory, file))
    await migrate({ url: new Secret(url.href), log, directory })
    await client.connect()
    await client.query(`insert into accounts (id, name) values ($1, 'old')`, [reading.accounts.bob])
    const old = (type: string, count: number) =>
      client.query(
        `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
         select 'pay_' || translate(substr(md5($2 || n), 1, 22), '0', 'z'), $1, $2, 'eip155:1', 'native', 1, 18, $3, $4, true, now()
         from generate_series(1, $5::integer) n`,
        [reading.accounts.bob, type, EVM, EVM_OTHER, count],
      )
    await old('sent', 3)
    await old('received', 2)
    await migrate({ url: new Secret(url.href), log })
    await expectExact(client)
    await old('sent', 0)
    const store = openStore({ url: new Secret(url.href), log })
    const accountId = reading.accounts.bob
    const more = reading.payment({ accountId, id: newId(systemRandom, 'pay') })
    await store.inTransaction('service', (tx) => insertPayments(tx, [more]))
    await store.close()
    await expectExact(client)
    const { rows } = await client.query<{ count: string }>(COUNTED)
    expect(rows.map(({ count }) => count)).toEqual(['2', '4'])
  } finally {
    await client.end()
    await owner.query(`drop database if exists ${name} with (force)`)
    await rm(directory, { recursive: true })
  }
})
