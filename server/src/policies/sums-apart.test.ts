import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import pg from 'pg'
import { newId } from '../kernel/id.ts'
import type { PaymentId, WalletId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { releaseSpends } from './spends-store.ts'
import { sumSpends } from './sums-store.ts'

const HERE = testNetwork(84_532).network
const THERE = testNetwork(84_533).network
const START = Date.UTC(2026, 8, 21, 12)
const LATER = START + 2 * limits.spendsSummedAfterSeconds * 1000
/** What is summed up of one wallet beside what it must be told apart from, each spend of an amount of its own. */
const OWN = { network: HERE, asset: 'native', amount: 1, isOther: false }
const OTHERS = [
  { ...OWN, asset: 'token', amount: 1_000_000 },
  { ...OWN, network: THERE, amount: 1_000_000_000 },
  { ...OWN, isOther: true, amount: 1_000_000_000_000 },
]
const SPENDS = 2 * limits.spendsPerRun + 10

let database: TestDatabase
let owner: pg.Client
let wallet: Awaited<ReturnType<typeof storeTestWallet>>
/** Of the same account. */
let other: WalletId
const walletOf = ({ isOther }: Pick<typeof OWN, 'isOther'>) => (isOther ? other : wallet.id)
/** Of each of the above, oldest first. */
let spent: readonly (readonly PaymentId[])[]
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
beforeEach(async () => {
  wallet = await storeTestWallet(database.store)
  other = newId(systemRandom, 'wal')
  await owner.query(
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $1, '', '')`,
    [other, wallet.accountId],
  )
  const filled = []
  for (const each of [OWN, ...OTHERS]) filled.push(await fill(each))
  spent = filled
})

/** The wallet has spent once in ten seconds. */
async function fill({
  network,
  asset,
  amount,
  isOther,
}: typeof OWN): Promise<readonly PaymentId[]> {
  const ids = Array.from({ length: SPENDS }, () => newId(systemRandom, 'pay'))
  await owner.query(
    `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
     select id, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0) - ($8 - n) * interval '10 seconds'
     from unnest($1::text[]) with ordinality as spent (id, n)`,
    [ids, walletOf({ isOther }), wallet.accountId, network, asset, amount, START, SPENDS],
  )
  return ids
}

const inAccount = <T>(work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(wallet.accountId, work)
const sumUp = ({ network, asset, isOther }: typeof OWN, nowMilliseconds: number) => {
  const whose = { id: walletOf({ isOther }), accountId: wallet.accountId }
  return inAccount((tx) => sumSpends(tx, { wallet: whose, network, asset, nowMilliseconds }))
}
const release = (ids: readonly PaymentId[]) => inAccount((tx) => releaseSpends(tx, ids, LATER))

/** The runs of a wallet's asset that have a width, each with its sum and with what was spent in it. */
const runsOf = async ({ network, asset, isOther }: typeof OWN) => {
  const { rows } = await owner.query<{ summed: string; spent: string }>(
    `select sums.amount as summed, (select coalesce(sum(spend.amount), 0) from policy_spends spend
       where spend.wallet_id = $1 and spend.network = $2 and spend.asset = $3 and spend.released_at is null
         and spend.reserved_at >= sums.since and spend.reserved_at < sums.until) as spent
     from policy_spend_sums sums
     where wallet_id = $1 and network = $2 and asset = $3 and until > since order by until`,
    [walletOf({ isOther }), network, asset],
  )
  return rows
}
const notes = async () => {
  const { rows } = await owner.query<{ notes: string }>(
    'select count(*) as notes from policy_spend_changes where account_id = $1',
    [wallet.accountId],
  )
  return Number(rows[0]?.notes)
}

test('a run sums the spends of its own asset on its own network', async () => {
  await sumUp(OWN, START)
  await sumUp(OWN, LATER)
  const own = await runsOf(OWN)
  expect(own.length).toBeGreaterThan(1)
  for (const { summed, spent: real } of own) expect(summed).toBe(real)
  for (const each of OTHERS) expect(await runsOf(each)).toEqual([])
})

const othersRuns = async () => {
  const found = []
  for (const each of OTHERS) found.push(await runsOf(each))
  return found
}

/** Of each, two spends of the second run. */
const inSecondRun = () =>
  spent.map((ids) => ids.slice(limits.spendsPerRun + 1, limits.spendsPerRun + 3))

test('what is given back is noted where its own asset of its own wallet is summed up', async () => {
  await sumUp(OWN, START)
  const [own, ...others] = inSecondRun()
  await release(others.flat())
  expect(await notes()).toBe(0)
  await release(own ?? [])
  expect(await notes()).toBe(2)
})

test('what is given back has the runs of its own asset summed anew, and no other', async () => {
  const all = [OWN, ...OTHERS]
  for (const at of [START, LATER]) for (const each of all) await sumUp(each, at)
  await release(inSecondRun().flat())
  expect(await notes()).toBe(8)
  const stale = await othersRuns()
  await sumUp(OWN, LATER)
  expect(await notes()).toBe(6)
  for (const { summed, spent: real } of await runsOf(OWN)) expect(summed).toBe(real)
  expect(await othersRuns()).toEqual(stale)
  for (const each of OTHERS) await sumUp(each, LATER)
  expect(await notes()).toBe(0)
  for (const { summed, spent: real } of (await othersRuns()).flat()) {
    expect(summed).toBe(real)
  }
})

test('the runs of one asset are forgotten, and those of no other', async () => {
  const all = [OWN, ...OTHERS]
  for (const at of [START, LATER]) for (const each of all) await sumUp(each, at)
  const others = await othersRuns()
  const muchLater = LATER + 90 * 86_400_000
  await sumUp(OWN, muchLater)
  await sumUp(OWN, muchLater + 86_400_000)
  expect((await runsOf(OWN)).length).toBeLessThan(others[0]?.length ?? 0)
  expect(await othersRuns()).toEqual(others)
})
