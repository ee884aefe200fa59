import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Terms, TransactionHash } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { lockLane } from '../sender/lane-store.ts'
import { recordVerdicts, storeNextAttempt, storeTransactions } from '../sender/transaction-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Reading } from './test-records.ts'
import { bodyOf, openReading } from './test-records.ts'
import { changeStatus } from './store.ts'

const NOW = 1_790_000_000_123
const AT_ONCE = 60

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

const read = (id: string, as: 'alice' | 'bob') => reading.get(`/payment/status/${id}`, {}, as)

test('reads at once share statements, and each caller gets its own payment alone', async () => {
  const { alice, bob } = reading.accounts
  const owners = Array.from({ length: AT_ONCE }, (_, index) => (index % 2 === 0 ? alice : bob))
  const payments = owners.map((accountId, index) =>
    reading.payment({ accountId, amount: baseUnits(BigInt(index + 1)) }),
  )
  await reading.store(payments)
  const replies = await Promise.all(
    payments.flatMap(({ id, accountId }) => {
      const [owner, stranger] = accountId === alice ? (['alice', 'bob'] as const) : BOB_FIRST
      return [read(id, owner), read(id, stranger), read(id, owner)]
    }),
  )
  for (const [index, { id, amount }] of payments.entries()) {
    const [first, foreign, again] = replies.slice(index * 3, index * 3 + 3)
    expect(first?.body).toMatchObject({ paymentId: id, amountBaseUnits: amount.toString() })
    expect(again?.body).toMatchObject({ paymentId: id, amountBaseUnits: amount.toString() })
    expect(foreign?.status).toBe(404)
  }
})
const BOB_FIRST = ['bob', 'alice'] as const

test('an id that nobody has is not found, beside one that is', async () => {
  const payment = reading.payment()
  await reading.store([payment])
  const asked = [newId(systemRandom, 'pay'), payment.id, newId(systemRandom, 'pay')]
  const replies = await Promise.all(asked.map((id) => read(id, 'alice')))
  expect(replies.map(({ status }) => status)).toEqual([404, 200, 404])
})

test('attempts stand in their order with their times and requests', async () => {
  const payment = reading.payment()
  await reading.store([payment])
  const { network, sender, id } = payment
  const hashes = ['0xa1', '0xa2'] as TransactionHash[]
  const terms = JSON.parse('{}') as Terms
  const requestId = newId(systemRandom, 'req')
  const [first, second] = hashes.map((hash) => ({ hash, raw: systemRandom.bytes(8) }))
  if (first === undefined || second === undefined) throw new Error('two hashes are two attempts')
  await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 42n, hash: 'a' })
    const lane = await lockLane(tx, network, sender, 0n)
    const place = { nonce: 0n, terms, signed: first, feeCeiling: baseUnits(1n) }
    await storeTransactions(tx, lane, [{ ...place, paymentIds: [id], requestId }], NOW)
    const [stored] = await tx.query<{ id: string }>(
      'test_place',
      `select chain_transaction_id as id from payment_transactions where payment_id = $1`,
      [id],
    )
    const at = { transactionId: stored?.id ?? '', number: 1 }
    await storeNextAttempt(tx, at, { terms, signed: second }, network, NOW + 5)
    await tx.query('test_mined', `update payments set block_height = 41 where id = $1`, [id])
  })
  const verdict = { kind: 'accepted' } as const
  await recordVerdicts(database.store, network, [{ hash: second.hash, verdict }], NOW + 7)
  const reply = await read(id, 'alice')
  expect(bodyOf(reply)).toMatchObject({
    signature: second.hash,
    attempts: [
      {
        number: 1,
        signature: first.hash,
        status: 'signed',
        createdAt: NOW,
        sentAt: null,
        requestId,
      },
      {
        number: 2,
        signature: second.hash,
        status: 'sent',
        createdAt: NOW + 5,
        sentAt: NOW + 7,
        requestId: null,
      },
    ],
    confirmations: 2,
  })
})

test('what failed or expired says when, in its record and in the list, and nothing else does', async () => {
  const [failed, expired, confirmed] = [reading.payment(), reading.payment(), reading.payment()]
  await reading.store([failed, expired, confirmed])
  const nothing = {
    ...{ transactionHash: null, blockHeight: null, blockHash: null, logIndex: null },
    ...{ feePaid: null, failure: null },
  }
  const failure = { reason: 'no_effect', message: 'It moved nothing.' } as const
  const seen = {
    transactionHash: `0x${'1'.repeat(64)}` as TransactionHash,
    blockHeight: 41n,
    blockHash: 'a',
  }
  await database.store.inTransaction('service', async (tx) => {
    await changeStatus(tx, 'failed', [{ ...nothing, paymentId: failed.id, failure }], NOW + 1)
    await changeStatus(tx, 'expired', [{ ...nothing, paymentId: expired.id }], NOW + 2)
    await changeStatus(tx, 'confirmed', [{ ...nothing, ...seen, paymentId: confirmed.id }], NOW + 3)
  })
  const ends = await Promise.all(
    [failed, expired, confirmed].map(async ({ id }) => bodyOf(await read(id, 'alice'))['endedAt']),
  )
  expect(ends).toEqual([NOW + 1, NOW + 2, undefined])
  const { payments } = bodyOf(await reading.get('/payments', { limit: '3' }, 'alice'))
  const listed = (payments as { paymentId: string; endedAt?: number }[]).map((each) => [
    each.paymentId,
    each.endedAt,
  ])
  expect(new Map(listed as [string, number | undefined][])).toEqual(
    new Map([
      [failed.id, NOW + 1],
      [expired.id, NOW + 2],
      [confirmed.id, undefined],
    ]),
  )
})
