import { expect, test } from 'vitest'
import { createAccount } from './access/create-account.ts'
import { FORGETTERS, startForgettingAll } from './forget-all.ts'
import { forgetOldKeys } from './idempotency/forget.ts'
import { systemClock } from './kernel/clock.ts'
import { limits } from './kernel/limits.ts'
import { openLog } from './kernel/log.ts'
import { systemRandom } from './kernel/random.ts'
import { forgetOldEvents } from './open-events.ts'
import { openTestDatabase } from './store/test-database.ts'
import type { TestDatabase } from './store/test-database.ts'
import { openCountingTx } from './store/test-plan.ts'
import { write } from './store/test-write.ts'

const OLD = `timestamptz '2020-01-01'`

/** Rows of each table that had their time long ago, of the account that is named. */
const FILL = {
  idempotency_keys: (rows: number) =>
    `insert into idempotency_keys (account_id, operation, key, fingerprint, resource_id, created_at)
    select $1, 'sendPayment', 'key ' || n, decode(repeat('00', 32), 'hex'), 'pay', ${OLD} from generate_series(1, ${rows}) n`,
  build_nonces: (rows: number) =>
    `insert into build_nonces (account_id, network, sender, nonce, payment_id, expires_at)
    select $1, 'eip155:84532', 'sender', n, 'pay', ${OLD} from generate_series(1, ${rows}) n`,
  event_runs: (rows: number) =>
    `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at, numbered_at)
    select $1, n, 1, 'evt_' || lpad(translate(n::text, '0', 'z'), 22, 'A'), '[]', ${OLD}, ${OLD} + n * interval '1 ms' from generate_series(1, ${rows}) n`,
  event_tickets: (rows: number) =>
    `insert into event_tickets (digest, account_id, key_id, expires_at)
    select sha256(n::text::bytea), $1, 'key', ${OLD} from generate_series(1, ${rows}) n`,
  request_days: (rows: number) =>
    `insert into request_days (account_id, day, requests)
    select $1, date '2020-01-01' - n, 1 from generate_series(1, ${rows}) n`,
  passkey_challenges: (rows: number) =>
    `insert into passkey_challenges (digest, expires_at)
    select sha256(n::text::bytea), ${OLD} from generate_series(1, ${rows}) n where $1::text is not null`,
  market_trades: (rows: number) =>
    `insert into market_trades (network, mint, market, venue, side, trader, native_amount, token_amount, price, transaction_hash, effect_index, height, traded_at)
    select 'eip155:84532', 'mint', 'pool', 'venue', 'buy', 'trader', 1, 1, 1, n::text, 0, n, ${OLD} from generate_series(1, ${rows}) n
    where $1::text is not null`,
  sponsored_approvals: (rows: number) =>
    `insert into sponsored_approvals (network, hash, payer, asset, nonce, raw, amount, day, created_at)
    select 'eip155:84532', '0x' || n, 'payer ' || n, 'token', 0, '', n % 2, date '2020-01-01', ${OLD} from generate_series(1, ${rows}) n
    where $1::text is not null`,
} as const
/** More than one statement removes of any of them. */
const MANY_ROWS = 12_000

async function openBacklog(rows: number): Promise<TestDatabase> {
  const database = await openTestDatabase()
  const { store } = database
  const deps = { store, clock: systemClock, random: systemRandom }
  const { accountId } = await createAccount(deps, 'busy')
  for (const [table, text] of Object.entries(FILL)) {
    await write(store, `test_fill_${table}`, text(rows), [accountId])
  }
  return database
}

test('one look removes all that has had its time, however much came in since the last', async () => {
  const database = await openBacklog(MANY_ROWS)
  const { store } = database
  const isOver = Promise.withResolvers<void>()
  const stop = startForgettingAll({
    ...{ store, networks: [], log: openLog('silent') },
    clock: {
      nowMilliseconds: () => systemClock.nowMilliseconds(),
      sleep: async (milliseconds, signal) => {
        if (milliseconds === limits.forgetPauseMilliseconds) return
        isOver.resolve()
        await systemClock.sleep(milliseconds, signal)
      },
    },
  })
  try {
    await isOver.promise
    for (const table of Object.keys(FILL)) {
      const rows = await store.query<{ count: string }>(
        `test_left_${table}`,
        `select count(*) as count from ${table}`,
      )
      expect([table, Number(rows[0]?.count)]).toEqual([table, 0])
    }
  } finally {
    await stop()
    await database.close()
  }
})

test('events that webhooks have yet to be given stay with what came behind them, however old they are', async () => {
  const database = await openBacklog(20)
  const { store } = database
  const left = async () => {
    const rows = await store.inTransaction('service', (tx) =>
      tx.query<{ first: string | null }>(
        'test_first',
        'select min(last_sequence) as first from event_runs',
      ),
    )
    return rows[0]?.first
  }
  const forget = () =>
    store.inTransaction('service', (tx) => forgetOldEvents(tx, systemClock.nowMilliseconds()))
  try {
    await write(
      store,
      'test_giving',
      `insert into webhook_givings (account_id, given_sequence, last_sequence, webhooks, created_at)
       select account_id, last_sequence - 1, last_sequence, '[]', numbered_at from event_runs where last_sequence = 11`,
    )
    await forget()
    expect(await left()).toBe('11')
    await write(store, 'test_given', 'delete from webhook_givings')
    await forget()
    expect(await left()).toBeNull()
  } finally {
    await database.close()
  }
})

/** Of each ten times what one round removes at most. */
const BACKLOG_ROWS = 100_000
/** A row that goes is gone through in an index, in its table, and in each step of the plan between the two. */
const ROWS_EACH_MAX = 13

test('a round goes through what it removes, not through all that is old', async () => {
  const database = await openBacklog(BACKLOG_ROWS)
  const { client, rowsThrough } = await openCountingTx(database)
  const left = async () => {
    const counts = Object.keys(FILL).map((table) => `(select count(*) from ${table})`)
    const { rows } = await client.query<{ left: string }>(`select ${counts.join(' + ')} as left`)
    return Number(rows[0]?.left)
  }
  try {
    const now = systemClock.nowMilliseconds()
    const tooMuch: Record<string, number> = {}
    for (const forget of [...FORGETTERS, forgetOldKeys]) {
      const before = await left()
      const through = await rowsThrough((tx) => forget(tx, now))
      const each = through / Math.max(before - (await left()), 1)
      if (each > ROWS_EACH_MAX) tooMuch[forget.name] = Math.round(each)
    }
    expect(await left()).toBeLessThan(Object.keys(FILL).length * BACKLOG_ROWS)
    expect(tooMuch).toEqual({})
  } finally {
    await client.end()
    await database.close()
  }
})
