import { expect, test } from 'vitest'
import { createAccount } from './access/create-account.ts'
import { startForgettingAll } from './forget-all.ts'
import { systemClock } from './kernel/clock.ts'
import { limits } from './kernel/limits.ts'
import { openLog } from './kernel/log.ts'
import { systemRandom } from './kernel/random.ts'
import { openTestDatabase } from './store/test-database.ts'
import { write } from './store/test-write.ts'

const OLD = `timestamptz '2020-01-01'`

/** Of each more than one statement removes. */
const MANY = {
  idempotency_keys: `insert into idempotency_keys (account_id, operation, key, fingerprint, resource_id, created_at)
    select $1, 'sendPayment', 'key ' || n, decode(repeat('00', 32), 'hex'), 'pay', ${OLD} from generate_series(1, 2_500) n`,
  build_nonces: `insert into build_nonces (account_id, network, sender, nonce, payment_id, expires_at)
    select $1, 'eip155:84532', 'sender', n, 'pay', ${OLD} from generate_series(1, 2_500) n`,
  event_runs: `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at, numbered_at)
    select $1, n * 128, 128, 'evt_' || lpad(translate(n::text, '0', 'z'), 22, 'A'), '[]', ${OLD}, ${OLD} from generate_series(1, 200) n`,
  event_tickets: `insert into event_tickets (digest, account_id, key_id, expires_at)
    select sha256(n::text::bytea), $1, 'key', ${OLD} from generate_series(1, 12_000) n`,
  request_days: `insert into request_days (account_id, day, requests)
    select $1, date '2020-01-01' - n, 1 from generate_series(1, 2_500) n`,
  passkey_challenges: `insert into passkey_challenges (digest, expires_at)
    select sha256(n::text::bytea), ${OLD} from generate_series(1, 12_000) n where $1::text is not null`,
} as const

test('one look removes all that has had its time, however much came in since the last', async () => {
  const database = await openTestDatabase()
  const { store } = database
  const deps = { store, clock: systemClock, random: systemRandom }
  const { accountId } = await createAccount(deps, 'busy')
  for (const [table, text] of Object.entries(MANY)) await write(store, table, text, [accountId])
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
    for (const table of Object.keys(MANY)) {
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
