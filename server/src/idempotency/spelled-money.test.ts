import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TSchema } from 'typebox'
import { endpoints } from '@florin/wire/endpoints.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { fingerprint } from './fingerprint.ts'
import type { Fingerprint } from './fingerprint.ts'
import { requestFingerprint } from './request-fingerprint.ts'
import { claimKeys, findKey } from './store.ts'

let database: TestDatabase
let accountId: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
  accountId = newId(systemRandom, 'acct')
  const row = `insert into accounts (id, name) values ($1, 'a')`
  await write(database.store, 'test_account', row, [accountId])
})
afterAll(() => database.close())

let keys = 0
/** What a second request under the key of a first one comes to: as a look, and as a claim. */
async function secondAfter(first: Fingerprint, second: Fingerprint) {
  const key = `key-${(keys += 1)}`
  const claim = (given: Fingerprint) => ({
    ...{ accountId, operation: 'sendPayment', key, fingerprint: given },
    resourceId: newId(systemRandom, 'pay'),
  })
  return database.store.inTransaction(accountId, async (tx) => {
    expect(await claimKeys(tx, [claim(first)], 1)).toEqual([{ kind: 'new' }])
    const [claimed] = await claimKeys(tx, [claim(second)], 1)
    const found = await findKey(tx, claim(second))
    expect(found).toEqual(claimed)
    return found?.kind
  })
}

const sent = (fields: object) => requestFingerprint(fields, endpoints.sendPayment.body)

describe('one request under one key', () => {
  test.each([
    ['0.001', '0.0010'],
    ['0.0010', '0.001'],
    ['1', '1.000'],
    ['10', '10.0'],
    ['0', '0.0'],
  ])('is the same with an amount of %s and of %s', async (one, other) => {
    expect(await secondAfter(sent({ amount: one }), sent({ amount: other }))).toBe('replay')
  })

  test.each([
    ['0.001', '0.0011'],
    ['10', '1'],
    ['10', '100'],
    ['0.1', '0.01'],
  ])('is another with an amount of %s and of %s', async (one, other) => {
    expect(await secondAfter(sent({ amount: one }), sent({ amount: other }))).toBe('mismatch')
  })

  test('counts text that is no money as it is spelled', async () => {
    const noted = (metadata: string) => sent({ amount: '1', metadata, resource: metadata })
    expect(await secondAfter(noted('1.0'), noted('1.00'))).toBe('mismatch')
  })

  test('is the same as an earlier version stored it, however its money was spelled', async () => {
    const body = { amount: '0.0010', priorityFee: '0.00010' }
    expect(await secondAfter(fingerprint(body), sent(body))).toBe('replay')
  })
})

const keyed = Object.values(endpoints).flatMap(({ id, idempotent, body }) =>
  idempotent ? moneyFields(body).map((field): [string, string, TSchema] => [id, field, body]) : [],
)

test.each(keyed)('%s reads %s by its value', async (_, field, schema) => {
  const [one, other] = ['2.5', '2.50'].map((text) => requestFingerprint({ [field]: text }, schema))
  if (one === undefined || other === undefined) throw new Error('nothing to compare')
  expect(await secondAfter(one, other)).toBe('replay')
})

test('a part of a balance is read by its value, too', async () => {
  const part = (amount: string) => requestFingerprint({ amount }, endpoints.sellToken.body)
  expect(await secondAfter(part('50%'), part('50.0%'))).toBe('replay')
  expect(await secondAfter(part('50%'), part('50'))).toBe('mismatch')
})

function moneyFields(schema: TSchema): readonly string[] {
  const { properties = {} } = schema as { properties?: Record<string, object> }
  return Object.entries(properties).flatMap(([name, field]) => ('money' in field ? [name] : []))
}
