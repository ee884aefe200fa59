import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Reading } from './test-records.ts'
import { bodyOf, EVM, idsOf, openReading } from './test-records.ts'

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  reading = await openReading(database.store)
  return () => reading.close()
})

const history = (
  query: Record<string, string> = {},
  as: 'alice' | 'bob' = 'alice',
  address: string = EVM,
) => reading.get(`/payment/history/${address}`, query, as)

describe('a history', () => {
  test('smoke', async () => {
    await reading.store([reading.payment()])
    const answer = await history()
    console.log(JSON.stringify(answer.body, null, 1))
    expect(idsOf(answer)).toHaveLength(1)
    expect(bodyOf(answer)['total']).toBe(1)
  })
})
