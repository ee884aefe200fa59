import type pg from 'pg'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { newId } from '@florin/server/kernel/id.ts'
import type { AccountId } from '@florin/server/kernel/id.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { paymentFigures } from '@florin/server/payments/overview-store.ts'
import { sumAccountHours } from '@florin/server/payments/sum-hours.ts'
import { figuresOf, stretchesOf } from '@florin/server/reports/overview.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import type { Bench } from './bench.ts'
import { quantilesOf } from './figures.ts'
import { openOwnDatabase } from './own-database.ts'
import type { Figure } from './figures.ts'

// What GET /overview reads and works out for an account with so many payments in a month, of two kinds and two assets, one in a hundred
// failed, with latencies from half a second to some minutes. Database and reader share the machine.
const ASKED = 30
const DAYS = 30
const FILL_AT_ONCE = 100_000
const MONTH_GOAL_MILLISECONDS = 150

export const overview: Bench = {
  name: 'overview',
  about:
    'the figures of a month with nine tenths of --payments in it, before and after they were summed up',
  run: async ({ options: { payments }, note, defer }) => {
    const { owner, store } = await openOwnDatabase(defer)
    const accountId = newId(systemRandom, 'acct')
    const count = Math.round(payments * 0.9)
    note(`${count} payments in ${(await fill(owner, accountId, count)).toFixed(0)} s`)
    const before = await ask(store, accountId, 'month', 'a month, each payment read', count)
    const started = performance.now()
    await sumAccountHours(store, accountId)
    const seconds = (performance.now() - started) / 1000
    await owner.query('vacuum analyze payment_hours')
    const month = await ask(store, accountId, 'month', 'a month, summed up by the hour', count)
    return [
      before,
      {
        ...month,
        goal: {
          text: `p99 < ${MONTH_GOAL_MILLISECONDS} ms`,
          isMet: (month.milliseconds?.p99 ?? Infinity) < MONTH_GOAL_MILLISECONDS,
        },
      },
      await ask(store, accountId, 'day', 'a day, summed up by the hour', count),
      { bench: 'overview', what: 'summing up the month, once', value: `${seconds.toFixed(1)} s` },
    ]
  },
}

async function ask(
  store: Store,
  accountId: AccountId,
  period: 'day' | 'month',
  what: string,
  payments: number,
): Promise<Figure> {
  const taken: number[] = []
  for (let asked = -2; asked < ASKED; asked += 1) {
    const started = performance.now()
    const stretches = stretchesOf(period, systemClock.nowMilliseconds())
    const read = await store.inTransaction(accountId, (tx) =>
      paymentFigures(tx, accountId, stretches),
    )
    const { totals } = figuresOf(read, stretches, [])
    if (totals.payments === 0) throw new Error('the payments are not in the period')
    if (asked >= 0) taken.push(performance.now() - started)
  }
  return {
    ...{ bench: 'overview', what, milliseconds: quantilesOf(taken) },
    more: { payments, asked: taken.length },
  }
}

/** Payments spread over the month, as the database has them after autovacuum has been by; the seconds that it took. */
async function fill(owner: pg.Client, accountId: AccountId, count: number): Promise<number> {
  const started = performance.now()
  await owner.query(`insert into accounts (id, name) values ($1, 'bench')`, [accountId])
  // They were stored when they were created, so to say: nothing notes them as late.
  await owner.query('alter table payments disable trigger payments_stored_late')
  for (let from = 1; from <= count; from += FILL_AT_ONCE) {
    await owner.query(
      `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient,
         status, sandbox, transaction_hash, block_height, fee_paid, failure, created_at, confirmed_at, settled_at)
       select 'pay_' || translate(substr(md5(n::text), 1, 22), '0', 'z'), $1,
         case when n % 10 < 7 then 'sent' else 'received' end, 'eip155:84532',
         case when n % 3 = 0 then 'native' else '0x036CbD53842c5426634e7929541eC2318f3dCF7e' end, 1000 + n, 18, 's', 'r',
         case when failed then 'failed' else 'settled' end, true,
         '0x' || encode(sha256(n::text::bytea), 'hex'), n / 50, 21000,
         case when failed then '{"reason":"no_effect","message":"nothing moved"}'::json end,
         at, case when not failed then at + took end, case when not failed then at + took * 2 end
       from (
         select n, n % 100 = 0 as failed, now() - (n * $4::float8 / $5) * interval '1 day' as at,
           (500 + 400 * exp(3 * random()) * random()) * interval '1 millisecond' as took
         from generate_series($2::bigint, $3::bigint) n) numbers`,
      [accountId, from, Math.min(from + FILL_AT_ONCE - 1, count), DAYS - 1, count],
    )
  }
  await owner.query('alter table payments enable trigger payments_stored_late')
  await owner.query('vacuum analyze payments')
  return (performance.now() - started) / 1000
}
