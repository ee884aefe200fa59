import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import type { BuildResult } from './build-transaction.ts'
import { liveBuilds } from './live-store.ts'
import { openScene, RECIPIENT, SENDER } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

const ELSEWHERE = '0x00000000000000000000000000000000000000e2' as Address
const COPIES = limits.buildsPerPlaceMax + 20

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
  scene.script.carriesCommitment = false
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** As many more of the same, as if each had been given up and built again. */
async function again({ build }: BuildResult, count: number): Promise<void> {
  const id = `lpad(translate(n::text, '0', 'z'), 26, 'pay_' || repeat('A', 22))`
  for (const [table, key] of [
    ['payments', 'id'],
    ['builds', 'payment_id'],
  ] as const) {
    const columns = await database.store.query<{ name: string }>(
      `test_columns_of_${table}`,
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and column_name <> $2`,
      [table, key],
    )
    const names = columns.map(({ name }) => name).join(', ')
    await write(
      database.store,
      `test_more_${table}`,
      `insert into ${table} (${key}, ${names}) select ${id}, ${names} from ${table}, generate_series(1, $2::int) n where ${key} = $1`,
      [build.paymentId, count],
    )
  }
}

async function counted(what: string): Promise<number> {
  const [row] = await database.store.query<{ count: number }>(
    `test_count_${what}`,
    `select count(*)::int as count from builds where ${what} is not null`,
    [],
  )
  return row?.count ?? 0
}

/** What a transaction at the builds' place shows at once. */
async function atPlace(built: BuildResult, most: { perPlace: number; inAll: number }) {
  const { asset, amount } = built.build
  const place = { sender: SENDER, nonce: built.build.nonce ?? 0n }
  const marks = {
    senders: [SENDER],
    commitments: [],
    proofKeys: [],
    places: [place],
    submitted: [],
    paid: [{ ...place, asset, recipient: RECIPIENT, amount }],
  }
  const { network } = scene.chain.config
  return await database.store.inTransaction('service', (tx) => liveBuilds(tx, network, marks, most))
}

test('of any number of builds without a commitment at one place a transaction decides its own and a few', async () => {
  const [, stranger] = scene.accounts
  const own = await scene.build()
  const same = await scene.build({ accountId: stranger })
  scene.later(61_000)
  const other = await scene.build({ accountId: stranger, recipient: ELSEWHERE })
  expect(other.build.nonce).toBe(own.build.nonce)
  await again(other, COPIES)
  await scene.mine('a', 101, 1, scene.paid(own))
  expect(await scene.record(own)).toMatchObject({ status: 'confirmed' })
  expect(await scene.record(same)).toMatchObject({ status: 'confirmed' })
  expect(await counted('dead_height')).toBe(limits.buildsPerPlaceMax)
  // The others are over as well, in their turn.
  scene.later(61_000)
  scene.script.finalized = (own.build.nonce ?? 0n) + 1n
  await scene.watch()
  await scene.finalize(101)
  expect(await counted('closed_at')).toBe(COPIES + 3)
  expect(await scene.record(own)).toMatchObject({ status: 'settled' })
  expect(await scene.record(other)).toMatchObject({ status: 'expired' })
})

test('the very same built many times is paid once for each account, the oldest first', async () => {
  const [, stranger] = scene.accounts
  const foreign = await scene.build({ accountId: stranger })
  scene.later(61_000)
  const own = await scene.build()
  scene.later(61_000)
  const later = await scene.build({ accountId: stranger })
  await again(later, COPIES)
  const found = await atPlace(own, { perPlace: 0, inAll: 0 })
  expect(found.map(({ paymentId }) => paymentId)).toEqual([
    foreign.build.paymentId,
    own.build.paymentId,
  ])
})

test('those that their place only shows are bounded at each place, and in one round', async () => {
  const built = await scene.build()
  scene.later(61_000)
  await again(await scene.build({ recipient: ELSEWHERE }), 20)
  // The one that is paid comes on top.
  expect(await atPlace(built, { perPlace: 5, inAll: 100 })).toHaveLength(6)
  expect(await atPlace(built, { perPlace: 5, inAll: 3 })).toHaveLength(4)
})
