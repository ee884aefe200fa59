import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { aPurchase } from './test-purchase.ts'

let chain = 71_800

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
  const { look, shows, follow } = await aPurchase(scene(), (chain += 1), 9_000n)
  // Each look that shows nothing makes the next one later.
  for (let looks = 0; looks < 8; looks += 1) await look(limits.purchaseLookSecondsMax * 1000)
  shows(9_001n, 'next')
  const long = limits.purchaseLookSecondsMax * 1000
  expect(await look(long)).toMatchObject({ status: 'pending' })
  await follow(9_001n, 'next')
  expect(await look(500)).toMatchObject({ status: 'confirmed' })
})

test('a use is looked for well below the block at which it was signed: after a reorganisation it may stand there', async () => {
  const old = await aPurchase(scene(), (chain += 1), 9_000n)
  expect((await old.look(0)).searchedFrom).toBe(9_000n - BigInt(limits.lookBackBlocks))
  const young = await aPurchase(scene(), (chain += 1), 10n)
  expect((await young.look(0)).searchedFrom).toBe(0n)
})
