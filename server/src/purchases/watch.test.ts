import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chain, Doomed } from '../chains/chain.ts'
import { lookedFrom } from '../chains/looked-from.ts'
import { limits } from '../kernel/limits.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { aPurchase } from './test-purchase.ts'
import { watchPurchases } from './watch.ts'

let chains = 71_800

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
})
afterAll(async () => {
  await reading.close()
  await database.close()
})

const scene = () => ({ store: database.store, reading })

test('a use in a block that was not followed yet is looked for again in a moment, however long it was silent before', async () => {
  const { look, shows, follow } = await aPurchase(scene(), (chains += 1), 9_000n)
  // Each look that shows nothing makes the next one later.
  for (let looks = 0; looks < 8; looks += 1) await look(limits.purchaseLookSecondsMax * 1000)
  shows(9_001n, 'next')
  const long = limits.purchaseLookSecondsMax * 1000
  expect(await look(long)).toMatchObject({ status: 'pending' })
  await follow(9_001n, 'next')
  expect(await look(500)).toMatchObject({ status: 'confirmed' })
})

test('a use is looked for well below the block at which it was signed: after a reorganisation it may stand there', async () => {
  const old = await aPurchase(scene(), (chains += 1), 90_000n)
  const { searchedFrom } = await old.look(0)
  expect(searchedFrom).toBe(lookedFrom(90_000n, old.chain.config))
  expect(searchedFrom).toBeLessThanOrEqual(90_000n - BigInt(limits.lookBackBlocks))
  const young = await aPurchase(scene(), (chains += 1), 10n)
  expect((await young.look(0)).searchedFrom).toBe(0n)
})

test('bytes that one node would still take are not over, whatever was told of their lifetime when they were signed', async () => {
  const { chain, deps, purchase } = await aPurchase(scene(), (chains += 1), 9_000n)
  const raw = Buffer.from('signed bytes')
  await write(
    database.store,
    'test_mortal',
    `update purchases set valid_before = null, last_valid_block_height = 100, stored = (stored::jsonb || jsonb_build_object('transaction', $2::text))::json where payment_id = $1`,
    [purchase.paymentId, raw.toString('base64')],
  )
  const said: { deadFrom: bigint | undefined } = { deadFrom: undefined }
  const asked: Doomed[] = []
  const mortal: Chain = {
    ...chain,
    renewal: {
      kind: 'lifetime',
      lifetimeOf: () => 100n,
      lookBack: async () => [],
      finalHeights: async () => [{ lifetime: 101n, height: 130n }],
      deadFrom: async (each) => {
        asked.push(...each)
        return each.map(() => said.deadFrom)
      },
    },
  }
  const look = async () => {
    await write(
      database.store,
      'test_due',
      `update purchases set look_at = null where payment_id = $1`,
      [purchase.paymentId],
    )
    await watchPurchases(deps, mortal, 0n)
    const [row] = await database.store.query<{ dead_height: string | null }>(
      'test_dead',
      'select dead_height from purchases where payment_id = $1',
      [purchase.paymentId],
    )
    return row?.dead_height
  }
  expect(await look()).toBeNull()
  expect(asked).toMatchObject([{ raw, sinceHeight: 130n }])
  // The word of a node about a block of the far future would be waited for without an end.
  said.deadFrom = 10n ** 12n
  expect(await look()).toBeNull()
  said.deadFrom = 140n
  expect(await look()).toBe('140')
})
