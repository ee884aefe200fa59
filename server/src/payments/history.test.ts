import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { writeCursor } from '../kernel/position.ts'
import { PAYMENT_STATUSES } from '@florin/wire/payment.ts'
import type { Payment } from './payment.ts'
import type { Reading } from './test-records.ts'
import {
  bodyOf,
  EVM,
  EVM_OTHER,
  faultsOf,
  idsOf,
  listedIn,
  nextOf,
  openReading,
  SOLANA,
} from './test-records.ts'
import { write } from '../store/test-write.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const NOW = 1_790_000_000_000
const LONG = `https://shop.example/${'a'.repeat(300)}`

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  reading = await openReading(database.store)
})
afterEach(() => reading.close())

const history = (
  query: Record<string, string> = {},
  address: string = EVM,
  as: 'alice' | 'bob' = 'alice',
) => reading.get(`/payment/history/${address}`, query, as)
const at = (milliseconds: number, fields: Partial<Payment> = {}) =>
  reading.payment({ createdAtMilliseconds: NOW + milliseconds, ...fields })
/** Newest first, and of one millisecond the greater id first: the order of a history. */
const newestFirst = (payments: readonly Payment[]) =>
  payments
    .toSorted(
      (one, other) =>
        other.createdAtMilliseconds - one.createdAtMilliseconds || (one.id < other.id ? 1 : -1),
    )
    .map(({ id }) => id)

describe('a history', () => {
  test('shows the record of a payment without attempts and proof', async () => {
    const payment = at(0, { metadataText: '{"n":1.0}', resource: LONG, fee: null } as object)
    await reading.store([payment])
    const {
      attempts,
      paymentProof,
      success: _,
      timestamp: __,
      ...record
    } = bodyOf(await reading.get(`/payment/status/${payment.id}`))
    expect([attempts, typeof paymentProof]).toEqual([[], 'string'])
    const [listed] = listedIn(await history())
    expect(listed).toEqual(record)
    expect(Object.keys(Object(listed))).toEqual(Object.keys(record))
  })

  test('has under `sent` what the address paid, under `received` what it was paid', async () => {
    const paid = at(1)
    const wasPaid = at(2, { type: 'received', sender: EVM_OTHER, recipient: EVM })
    const itself = [at(3, { recipient: EVM }), at(4, { type: 'received', recipient: EVM })]
    const foreign = [at(5, { type: 'received' }), at(6, { sender: EVM_OTHER, recipient: EVM })]
    await reading.store([paid, wasPaid, ...itself, ...foreign])
    const sent = [paid, ...itself.slice(0, 1)]
    const received = [wasPaid, ...itself.slice(1)]
    for (const [type, expected] of Object.entries({
      sent,
      received,
      all: [...sent, ...received],
    })) {
      const answer = await history({ type })
      expect(idsOf(answer), type).toEqual(newestFirst(expected))
      expect(bodyOf(answer)).toMatchObject({ type, total: expected.length, walletAddress: EVM })
    }
    expect(idsOf(await history())).toHaveLength(4)
  })

  test("never shows another account's payments of the same address, nor counts them", async () => {
    const his = at(1, { accountId: reading.accounts.bob })
    const hers = at(2)
    await reading.store([his, hers])
    expect(idsOf(await history({}, EVM, 'alice'))).toEqual([hers.id])
    expect(idsOf(await history({}, EVM, 'bob'))).toEqual([his.id])
    expect(bodyOf(await history({}, EVM, 'bob'))['total']).toBe(1)
    const cursor = writeCursor({ atMicroseconds: BigInt(NOW + 9) * 1000n, id: hers.id })
    expect(idsOf(await history({ cursor }, EVM, 'bob'))).toEqual([his.id])
  })

  test('is there for any address of either family, in any spelling; without payments it is empty', async () => {
    await reading.store([at(1), at(2, { sender: SOLANA })])
    expect(idsOf(await history({}, EVM.toLowerCase()))).toHaveLength(1)
    expect(idsOf(await history({}, SOLANA))).toHaveLength(1)
    const none = await history({}, EVM_OTHER)
    expect(none.status).toBe(200)
    expect(bodyOf(none)).toMatchObject({
      payments: [],
      total: 0,
      limit: 50,
      offset: 0,
      hasMore: false,
      nextCursor: null,
    })
  })

  test('of a network that has left the configuration is shown, with null for what only that knew', async () => {
    const gone = parseNetworkId('eip155:1') ?? expect.fail()
    const payment = at(1, { network: gone, priorityFee: 15n as Payment['priorityFee'] })
    await reading.store([payment])
    const expected = { finality: null, releaseDepth: null, estimatedConfirmation: null }
    const [listed] = listedIn(await history())
    expect(listed).toMatchObject({ ...expected, priorityFee: 1.5e-17 })
    expect(bodyOf(await reading.get(`/payment/status/${payment.id}`))).toMatchObject(expected)
  })

  test('gives 50 unless told otherwise, 500 at most, and knows where it ends', async () => {
    const payments = Array.from({ length: 501 }, (_, index) => at(index))
    await reading.store(payments)
    const order = newestFirst(payments)
    const first = await history()
    expect(idsOf(first)).toEqual(order.slice(0, 50))
    expect(bodyOf(first)).toMatchObject({ total: 501, hasMore: true })
    const most = await history({ limit: '500' })
    expect(idsOf(most)).toEqual(order.slice(0, 500))
    expect(bodyOf(most)['hasMore']).toBe(true)
    const last = await history({ limit: '500', cursor: nextOf(most) ?? '' })
    expect(idsOf(last)).toEqual(order.slice(500))
    expect(bodyOf(last)).toMatchObject({ hasMore: false, nextCursor: null, total: 501, offset: 0 })
    const skipped = await history({ limit: '2', offset: '499' })
    expect(idsOf(skipped)).toEqual(order.slice(499))
    expect(bodyOf(skipped)).toMatchObject({ hasMore: false, nextCursor: null, offset: 499 })
    const jumped = await history({ limit: '1', offset: '3' })
    expect(idsOf(await history({ limit: '1', cursor: nextOf(jumped) ?? '' }))).toEqual(
      order.slice(4, 5),
    )
    expect(idsOf(await history({ offset: '2147483647' }))).toEqual([])
  })

  const cursor = writeCursor({ atMicroseconds: 1n, id: `pay_${'1'.repeat(22)}` as never })
  test.each([
    [{ type: 'both' }, ['type']],
    [{ limit: '0' }, ['limit']],
    [{ limit: '501' }, ['limit']],
    [{ limit: '5.5' }, ['limit']],
    [{ limit: '' }, ['limit']],
    [{ offset: '-1' }, ['offset']],
    [{ offset: 'x' }, ['offset']],
    [{ offset: '2147483648' }, ['offset']],
    [{ cursor: '' }, ['cursor']],
    [{ cursor: 'x' }, ['cursor']],
    [{ cursor: `${cursor}x` }, ['cursor']],
    [{ cursor: `${cursor.slice(0, -1)}_` }, ['cursor']],
    [{ cursor: Buffer.from('9007199254740992.pay_1').toString('base64url') }, ['cursor']],
    [{ cursor: 'a'.repeat(300) }, ['cursor']],
    [{ cursor, offset: '0' }, ['cursor', 'offset']],
    [{ status: 'lost' }, ['status']],
    [{ from: 'yesterday' }, ['from']],
    [{ to: '-1' }, ['to']],
    [{ to: '9007199254740992' }, ['to']],
    [{ from: '2', to: '1' }, ['from']],
    [{ resource: 'shop' }, ['resource']],
    [{ resource: 'https://shop.example/\u0000' }, ['resource']],
    [{ network: 'mars' }, ['network']],
    [{ network: 'eip155:1\u0000' }, ['network']],
    [{ page: '1' }, ['page']],
  ])('asked with %j is refused, naming the field', async (query, fields) => {
    const answer = await history(query)
    expect(answer.status).toBe(400)
    expect(Object.keys(faultsOf(answer))).toEqual(fields)
  })

  test.each(['0x12', EVM.replace('B', 'b'), `${SOLANA}1`, 'a'.repeat(129), 'wal_1'])(
    'of %s is refused: no valid address',
    async (address) => {
      const answer = await history({}, address)
      expect(answer.status).toBe(400)
      expect(Object.keys(faultsOf(answer))).toEqual(['walletAddress'])
    },
  )
})

/** Payments of a small world: few times, so that many fall into one millisecond, and every filter has something to keep. */
const world = fc.record({
  time: fc.nat(4),
  type: fc.constantFrom('sent', 'received'),
  other: fc.boolean(),
  status: fc.constantFrom('pending', 'settled', 'expired'),
  resource: fc.constantFrom(null, LONG, `${LONG}b`, 'https://shop.example/'),
  network: fc.constantFrom('eip155:84532', 'eip155:1'),
} as const)
type Drawn = typeof world extends fc.Arbitrary<infer T> ? T : never
const drawn = ({ time, other, status, network, ...fields }: Drawn) =>
  at(time, {
    ...fields,
    network: parseNetworkId(network) ?? expect.fail(),
    sender: other ? EVM_OTHER : EVM,
    recipient: other ? EVM : EVM_OTHER,
    // The database wants the facts of a block beside this status; the follower's way there is not the matter here.
    status: status === 'settled' ? 'pending' : status,
    transactionHash: status === 'settled' ? (SETTLED as TransactionHash) : null,
  })
const SETTLED = 'settle me'
const isOf = (payment: Payment, type = 'all') =>
  (payment.type === 'sent' ? payment.sender : payment.recipient) === EVM &&
  (type === 'all' || type === payment.type)

async function store(payments: readonly Payment[]): Promise<void> {
  await reading.store(payments)
  await write(
    database.store,
    'test_settle',
    `update payments set status = 'settled', block_height = 1 where transaction_hash = $1`,
    [SETTLED],
  )
}

describe('whatever payments there are', () => {
  const properties = { seed: SEED, numRuns: 25 }
  beforeAll(() => {
    console.info(`history: FLORIN_SEED=${SEED}`)
  })

  test('a walk by cursor shows each payment that was there at its start exactly once, in order, while others arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(world, { minLength: 1, maxLength: 12, size: 'max' }),
        fc.array(fc.array(world, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('sent', 'received', 'all'),
        async (before, arriving, limit, type) => {
          await reading.close()
          reading = await openReading(database.store)
          const there = before.map(drawn)
          await store(there)
          const seen: string[] = []
          let next: string | null = ''
          for (let page = 0; next !== null; page += 1) {
            const answer = await history({
              type,
              limit: `${limit}`,
              ...(next === '' ? {} : { cursor: next }),
            })
            expect(answer.status).toBe(200)
            seen.push(...idsOf(answer))
            next = nextOf(answer)
            await store((arriving[page] ?? []).map(drawn))
          }
          const ids: ReadonlySet<string> = new Set(there.map(({ id }) => id))
          expect(new Set(seen).size, 'nothing twice').toBe(seen.length)
          expect(seen.filter((id) => ids.has(id))).toEqual(
            newestFirst(there.filter((payment) => isOf(payment, type))),
          )
        },
      ),
      properties,
    )
  })

  test('filters keep what they say, and the total is what counting finds', async () => {
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
    const query = fc.record({
      type: fc.constantFrom('sent', 'received', 'all'),
      status: optional(fc.constantFrom(...PAYMENT_STATUSES)),
      from: optional(fc.nat(2)),
      to: optional(fc.integer({ min: 2, max: 5 })),
      resource: optional(fc.constantFrom(LONG, `${LONG}b`)),
      network: optional(fc.constantFrom('eip155:84532', 'base-sepolia', 'eip155:1')),
      offset: fc.nat(3),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(world, { maxLength: 14, size: 'max' }),
        fc.array(query, { minLength: 6, maxLength: 6 }),
        async (payments, queries) => {
          await reading.close()
          reading = await openReading(database.store)
          const records = payments.map(drawn)
          await store(records)
          for (const { type, offset, ...filters } of queries) {
            const { status, from, to, resource, network } = filters
            const times = {
              ...(from === undefined ? {} : { from: `${NOW + from}` }),
              ...(to === undefined ? {} : { to: `${NOW + to}` }),
            }
            const texts = Object.fromEntries(
              Object.entries({ status, resource, network }).filter(
                ([, text]) => text !== undefined,
              ),
            ) as Record<string, string>
            const answer = await history({ type, offset: `${offset}`, ...texts, ...times })
            const id = network === 'base-sepolia' ? 'eip155:84532' : network
            const kept = records.filter((payment, index) => {
              const time = payment.createdAtMilliseconds - NOW
              return (
                isOf(payment, type) &&
                (status ?? payments[index]?.status) === payments[index]?.status &&
                time >= (from ?? time) &&
                time < (to ?? time + 1) &&
                (resource ?? payment.resource) === payment.resource &&
                (id ?? payment.network) === payment.network
              )
            })
            expect(idsOf(answer)).toEqual(newestFirst(kept).slice(offset))
            const isFiltered = Object.values(filters).some((filter) => filter !== undefined)
            expect(bodyOf(answer)['total']).toBe(isFiltered ? null : kept.length)
          }
        },
      ),
      properties,
    )
  })
})
