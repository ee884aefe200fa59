import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import pg from 'pg'
import { parseNetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openCountingTx } from '../store/test-plan.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { openBudget } from './budget.ts'
import { WINDOW_SECONDS } from './decide.ts'
import { lowerSpends, releaseSpends, spentIn } from './spends-store.ts'
import { writePolicy } from './store.ts'
import { sumSpends } from './sums-store.ts'

const NETWORK = parseNetworkId('eip155:84532') ?? fail()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 8, 21, 12)
const LIMIT = { network: NETWORK, asset: 'native', decimals: 18 }
const ALL = 10n ** 60n
/** More than are left unsummed, and enough that runs have several edges. */
const SPENDS = 7_300
/** Many times what a look at its edges takes. */
const MANY = 40_000

function fail(): never {
  throw new Error('not a network')
}

let database: TestDatabase
let owner: pg.Client
let wallet: { readonly id: WalletId; readonly accountId: AccountId }
let ids: readonly PaymentId[]

beforeAll(async () => {
  database = await openTestDatabase()
  owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  // Nothing that hangs on payments is written for each of them.
  await owner.query('set session_replication_role = replica')
})
afterAll(async () => {
  await owner.end()
  await database.close()
})

const inTransaction = <Value>(work: (tx: Tx) => Promise<Value>) =>
  database.store.inTransaction(wallet.accountId, work)

/** The wallet has spent, at times of which some are the same, for 40 days; each a different amount that no double holds. */
async function fill(spends: number): Promise<readonly PaymentId[]> {
  const spent = Array.from({ length: spends }, () => newId(systemRandom, 'pay'))
  await owner.query(
    `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
     select id, $2, $3, $4, 'native', 10000000000000000000000 + n * n, to_timestamp(($5::float8 - (n / 3) * 3 * $6::float8) / 1000.0)
     from unnest($1::text[]) with ordinality as spent (id, n)`,
    [spent, wallet.id, wallet.accountId, NETWORK, START, (40 * DAY) / spends],
  )
  return spent
}

beforeEach(async () => {
  wallet = await storeTestWallet(database.store)
  const rules = {
    limits: [{ ...LIMIT, perHour: ALL, perDay: ALL, perMonth: ALL }],
    ...{ recipients: null, resources: null },
  }
  await inTransaction((tx) =>
    writePolicy(tx, { accountId: wallet.accountId, walletId: wallet.id }, rules, START),
  )
  ids = await fill(SPENDS)
})

/** What a transaction that signs reads, which sums up beside. */
async function sign(nowMilliseconds: number): Promise<void> {
  await inTransaction(async (tx) => {
    await openBudget(tx, { wallet, network: NETWORK, assets: ['native'], nowMilliseconds })
  })
}

async function counted(nowMilliseconds: number) {
  const bounds = [{ ...LIMIT, perHour: ALL, perDay: ALL, perMonth: ALL }]
  const spent = await inTransaction((tx) =>
    spentIn(tx, {
      ...{ wallet, network: NETWORK, limits: bounds, nowMilliseconds, hasSums: true },
    }),
  )
  return (
    spent.get('native') ?? {
      perHour: 0n,
      perDay: 0n,
      perMonth: 0n,
      unsummed: 0,
      stale: 0,
      notes: 0,
    }
  )
}

/** The same, of each spend for itself. */
async function added(nowMilliseconds: number) {
  const since = (seconds: number) => new Date(nowMilliseconds - seconds * 1000)
  const { rows } = await owner.query<{ hour: string; day: string; month: string }>(
    `select coalesce(sum(amount) filter (where reserved_at > $2), 0) as hour,
       coalesce(sum(amount) filter (where reserved_at > $3), 0) as day, coalesce(sum(amount), 0) as month
     from policy_spends where wallet_id = $1 and released_at is null and reserved_at > $4`,
    [
      wallet.id,
      since(WINDOW_SECONDS.perHour),
      since(WINDOW_SECONDS.perDay),
      since(WINDOW_SECONDS.perMonth),
    ],
  )
  const [{ hour, day, month } = { hour: '0', day: '0', month: '0' }] = rows
  return { perHour: BigInt(hour), perDay: BigInt(day), perMonth: BigInt(month) }
}

async function runs(): Promise<number> {
  const { rows } = await owner.query<{ runs: string }>(
    `select count(*) as runs from policy_spend_sums where wallet_id = $1 and until > since`,
    [wallet.id],
  )
  return Number(rows[0]?.runs)
}

/** Signs until all is summed up that may be: at first, and when nobody who may not have seen that is under way any more. */
async function sumUp(): Promise<number> {
  await sign(START)
  expect(await runs()).toBe(0)
  const later = START + (limits.spendsSummedAfterSeconds + 1) * 1000
  await sign(later)
  return later
}

test('sums stand for what was spent, of every window at every time', async () => {
  const now = await sumUp()
  expect(await runs()).toBeGreaterThan(4)
  expect((await counted(now)).unsummed).toBeLessThan(limits.spendsUnsummedMax)
  const seed = systemRandom.bytes(1)[0] ?? 0
  for (let step = 0; step < 40; step += 1) {
    // Also before now, as by a clock that was set back, and when the first runs are out of every window.
    const at = now + ((seed + step * 97) % 300) * 3 * HOUR - 20 * DAY + step
    expect(await counted(at), `seed ${seed}, step ${step}`).toMatchObject(await added(at))
  }
})

test('a month is read as its sums, but for the spends at its edges', async () => {
  await fill(MANY)
  let now = await sumUp()
  for (let left = await runs(), before = -1; left !== before; left = await runs()) {
    before = left
    await sign((now += MINUTE))
  }
  await owner.query('analyze policy_spends, policy_spend_sums')
  const counting = await openCountingTx(database)
  const bounds = [{ ...LIMIT, perMonth: ALL }]
  const through = await counting.rowsThrough((tx) =>
    spentIn(tx, {
      ...{ wallet, network: NETWORK, limits: bounds, nowMilliseconds: now, hasSums: true },
    }),
  )
  await counting.client.end()
  expect(through).toBeLessThan(MANY / 2)
  expect(await counted(now)).toMatchObject(await added(now))
})

test('what is given back later does not count, and is summed up anew', async () => {
  const now = await sumUp()
  const before = await counted(now)
  const given = ids.filter((_, index) => index % 701 === 3)
  const lowered = ids.filter((_, index) => index % 907 === 5)
  await inTransaction((tx) => releaseSpends(tx, given, now))
  await inTransaction((tx) =>
    lowerSpends(
      tx,
      lowered.map((paymentId) => ({ paymentId, amount: 5n })),
    ),
  )
  const after = await counted(now)
  expect(after.stale).toBeGreaterThan(3)
  expect(after.perMonth).toBeLessThan(before.perMonth)
  expect(after).toMatchObject(await added(now))
  await sign(now)
  const anew = await counted(now)
  expect(anew).toMatchObject(await added(now))
  expect(anew.stale).toBe(0)
})

test('what is given back while others sum up is missed by neither', async () => {
  await sign(START)
  const later = START + (limits.spendsSummedAfterSeconds + 1) * 1000
  const releasing = inTransaction(async (tx) => {
    await releaseSpends(
      tx,
      ids.filter((_, index) => index % 13 === 0),
      later,
    )
    // It has not committed, so nobody who sums up sees it.
    await sign(later)
    expect(await runs()).toBeGreaterThan(4)
  })
  await releasing
  expect((await counted(later)).stale).toBeGreaterThan(4)
  expect(await counted(later)).toMatchObject(await added(later))
  await sign(later)
  expect(await counted(later)).toMatchObject({ ...(await added(later)), stale: 0 })
})

test('what is given back between the looks of one that sums up is not taken for heard', async () => {
  const now = await sumUp()
  const release = (index: number) =>
    inTransaction((tx) => releaseSpends(tx, ids.slice(index, index + 1), now))
  await release(1_000)
  await inTransaction(async (tx) => {
    await sumSpends(
      {
        query: async (name, text, values) => {
          if (name === 'policies_sums_heard') await release(4_000)
          return tx.query(name, text, values)
        },
      },
      { wallet, network: NETWORK, asset: 'native', nowMilliseconds: now },
    )
  })
  expect(await counted(now)).toMatchObject({ ...(await added(now)), stale: 1 })
})

test('notes of what failed behind the last run do not gather', async () => {
  const now = await sumUp()
  const notes = limits.spendsUnsummedMax
  await owner.query(
    `insert into policy_spend_changes (wallet_id, account_id, network, asset, reserved_at)
     select $1, $2, $3, 'native', to_timestamp($4 / 1000.0) from generate_series(1, $5)`,
    [wallet.id, wallet.accountId, NETWORK, now, notes],
  )
  expect(await counted(now)).toMatchObject({ notes, stale: 0 })
  await sign(now)
  expect((await counted(now)).notes).toBeLessThan(notes)
})

test('nothing is summed up while somebody may be under way who has not seen that there are sums', async () => {
  await sign(START)
  await sign(START + limits.spendsSummedAfterSeconds * 1000 - 1)
  expect(await runs()).toBe(0)
})

test('who spends with a clock that is behind spends behind what is summed up', async () => {
  const now = await sumUp()
  const before = await counted(now)
  const paymentId = newId(systemRandom, 'pay')
  await owner.query(
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
     values ($1, $2, 'sent', $3, $4, 'native', 1, 18, 's', 'r', true, now())`,
    [paymentId, wallet.accountId, wallet.id, NETWORK],
  )
  const behind = now - 5 * DAY
  await inTransaction(async (tx) => {
    const budget = await openBudget(tx, {
      ...{ wallet, network: NETWORK, assets: ['native'], nowMilliseconds: behind },
    })
    budget.take({ paymentId, asset: 'native', amount: 7n, recipient: 'r', resource: null })
    await budget.reserve(tx)
  })
  const after = await counted(now)
  expect(after.perMonth).toBe(before.perMonth + 7n)
  expect(after).toMatchObject(await added(now))
})
