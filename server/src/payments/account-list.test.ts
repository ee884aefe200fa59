import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import { newId } from '../kernel/id.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { accountPage } from './account-list-store.ts'
import type { AccountFilters } from './account-list-store.ts'
import type { Position } from '../kernel/position.ts'
import type { Payment } from './payment.ts'
import {
  bodyOf,
  EVM,
  EVM_OTHER,
  faultsOf,
  idsOf,
  nextOf,
  openReading,
  SOLANA,
} from './test-records.ts'
import type { Reading } from './test-records.ts'
import { write } from '../store/test-write.ts'

const NOW = 1_790_000_000_000
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const HASH = `0x${'ab'.repeat(32)}` as TransactionHash

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

const list = (query: Record<string, string> = {}, as: 'alice' | 'bob' = 'alice') =>
  reading.get('/payments', query, as)
const at = (milliseconds: number, fields: Partial<Payment> = {}) =>
  reading.payment({ createdAtMilliseconds: NOW + milliseconds, ...fields })

describe('the list of an account', () => {
  test('has every payment of its own, newest first, and nobody else’s', async () => {
    const [first, second] = [at(1), at(2, { type: 'received', sender: SOLANA })]
    const foreign = at(3, { accountId: reading.accounts.bob })
    await reading.store([first, second, foreign])
    const answer = await list()
    expect(idsOf(answer)).toEqual([second.id, first.id])
    expect(bodyOf(answer)).toMatchObject({ hasMore: false, nextCursor: null, lookedBackTo: null })
    expect(idsOf(await list({}, 'bob'))).toEqual([foreign.id])
  })

  test('goes on behind a page, each payment once, whatever arrives meanwhile', async () => {
    const payments = Array.from({ length: 7 }, (_, index) => at(Math.floor(index / 3)))
    await reading.store(payments)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await list({ limit: '2', ...(cursor === '' ? {} : { cursor }) })
      seen.push(...idsOf(answer))
      cursor = nextOf(answer)
      await reading.store([at(100)])
    }
    expect(seen.toSorted()).toEqual(payments.map(({ id }) => id).toSorted())
  })

  test('is narrowed by every filter, alone and together', async () => {
    const plain = at(1)
    const token = at(2, { asset: TOKEN, decimals: 6, transactionHash: HASH })
    const got = at(3, { type: 'received', sender: EVM_OTHER, recipient: EVM, status: 'expired' })
    await reading.store([plain, token, got])
    await write(
      database.store,
      'test_settled',
      `update payments set status = 'settled', block_height = 1 where id = $1`,
      [token.id],
    )
    const ids = async (query: Record<string, string>) => idsOf(await list(query))
    expect(await ids({ type: 'sent' })).toEqual([token.id, plain.id])
    expect(await ids({ type: 'received' })).toEqual([got.id])
    expect(await ids({ status: 'settled' })).toEqual([token.id])
    expect(await ids({ status: 'expired' })).toEqual([got.id])
    expect(await ids({ status: 'pending', type: 'received' })).toEqual([])
    expect(await ids({ walletAddress: EVM })).toEqual([got.id, token.id, plain.id])
    expect(await ids({ walletAddress: EVM, type: 'received' })).toEqual([got.id])
    expect(await ids({ walletAddress: EVM_OTHER })).toEqual([])
    expect(await ids({ asset: 'USDC' })).toEqual([token.id])
    expect(await ids({ asset: TOKEN.toLowerCase() })).toEqual([token.id])
    expect(await ids({ asset: 'native', type: 'sent' })).toEqual([plain.id])
    expect(await ids({ asset: 'NOSUCH' })).toEqual([])
    expect(await ids({ network: 'base-sepolia', walletAddress: EVM, asset: 'USDC' })).toEqual([
      token.id,
    ])
    expect(await ids({ from: `${NOW + 2}`, to: `${NOW + 3}` })).toEqual([token.id])
  })

  test('is searched by payment, transaction, address and resource', async () => {
    const resource = 'https://shop.example/orders/1?a=b'
    const one = at(1, { transactionHash: HASH, resource })
    const other = at(2, { recipient: SOLANA, resource: 'https://shop.example/orders/2' })
    await reading.store([one, other])
    for (const search of [one.id, ` ${one.id} `, HASH, HASH.toUpperCase().replace('X', 'x')]) {
      expect(idsOf(await list({ search })), search).toEqual([one.id])
      expect(idsOf(await list({ search }, 'bob')), search).toEqual([])
    }
    expect(idsOf(await list({ search: EVM }))).toEqual([other.id, one.id])
    expect(idsOf(await list({ search: SOLANA }))).toEqual([other.id])
    expect(idsOf(await list({ search: resource }))).toEqual([one.id])
    expect(idsOf(await list({ search: one.id, walletAddress: EVM }))).toEqual([one.id])
    expect(idsOf(await list({ search: one.id, walletAddress: EVM_OTHER }))).toEqual([])
    expect(idsOf(await list({ search: newId(systemRandom, 'pay') }))).toEqual([])
  })

  test('refuses what it cannot read, with the name of the field', async () => {
    for (const [field, value] of Object.entries({
      cursor: 'x',
      search: 'what',
      network: 'nowhere!',
      walletAddress: '0x12',
      status: 'lost',
      limit: '501',
    })) {
      const answer = await list({ [field]: value })
      expect([field, answer.status]).toEqual([field, 400])
      expect(Object.keys(faultsOf(answer))).toEqual([field])
    }
  })

  test('looks at so many payments for a page and says from where to go on', async () => {
    const payments = Array.from({ length: 10 }, (_, index) => at(index))
    const wanted = at(-1, { type: 'received' })
    await reading.store([...payments, wanted])
    const filters: AccountFilters = { type: 'received' }
    const page = (after: Position<'pay'> | null) =>
      database.store.inTransaction(reading.accounts.alice, (tx) =>
        accountPage(tx, {
          accountId: reading.accounts.alice,
          ...{ filters, after, count: 5, lookedAtMax: 10 },
        }),
      )
    const first = await page(null)
    expect([first.payments, first.lookedTo?.id]).toEqual([[], payments[0]?.id])
    const second = await page(first.lookedTo)
    expect(second.payments.map(({ id }) => id)).toEqual([wanted.id])
    expect(second.lookedTo).toBe(null)
  })

  test('is read by index, with any filter', async () => {
    const { alice } = reading.accounts
    await reading.store([at(1)])
    const plans: string[] = []
    const position = {
      atMicroseconds: 1_790_000_000_000_000n,
      id: newId(systemRandom, 'pay'),
    }
    const all: readonly AccountFilters[] = [
      { type: 'all' },
      { type: 'sent', own: EVM },
      { type: 'all', status: 'failed' },
      { type: 'received', party: EVM, from: NOW, to: NOW + 5 },
    ]
    await database.store.inTransaction(alice, async (tx) => {
      await tx.query('test_no_seqscan', 'set local enable_seqscan = off')
      await tx.query('test_generic', 'set local plan_cache_mode = force_generic_plan')
      for (const filters of all) {
        const explained = {
          ...tx,
          query: async (name: string, text: string, values?: readonly unknown[]) => {
            const rows = await tx.query<{ 'QUERY PLAN': string }>(
              `explain_${name}`,
              `explain ${text}`,
              values,
            )
            plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
            return []
          },
        }
        const asked = { accountId: alice, filters, after: position, count: 5, lookedAtMax: 100 }
        await accountPage(explained, asked)
      }
    })
    expect(plans).toHaveLength(all.length)
    for (const plan of plans) expect(plan).not.toContain('Seq Scan on payments')
    expect(plans[2]).toContain('payments_unsettled')
  })
})
