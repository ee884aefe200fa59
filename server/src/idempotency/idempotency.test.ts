import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { openStore } from '../store/postgres.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { fingerprint } from './fingerprint.ts'
import { claimKeys, findKey, forgetKeys, giveKeysBack } from './store.ts'
import type { Claim } from './store.ts'
import { write } from '../store/test-write.ts'

const NOW = 1_790_000_000_000
const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())

let database: TestDatabase
/** Sees what other connections wait for. */
let owner: Store
let accountId: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
  owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
  accountId = await anAccount()
})
afterAll(async () => {
  await owner.close()
  await database.close()
})

async function anAccount(): Promise<AccountId> {
  const id = newId(systemRandom, 'acct')
  await write(database.store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [
    id,
  ])
  return id
}

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(accountId, work)
let keys = 0
/** A claim of a key that nobody has used, unless one is named. */
const claim = (fields: Partial<Claim> = {}): Claim => ({
  accountId,
  operation: 'sendPayment',
  key: `key-${(keys += 1)}`,
  fingerprint: fingerprint({ amount: '1' }),
  resourceId: newId(systemRandom, 'pay'),
  ...fields,
})
const again = (first: Claim, fields: Partial<Claim> = {}) =>
  claim({ key: first.key, resourceId: newId(systemRandom, 'pay'), ...fields })
const claimNow = async (...claims: readonly Claim[]) =>
  inTransaction((tx) => claimKeys(tx, claims, NOW))

/** Runs work in a transaction that waits before it ends until it is told to. */
function held<T>(work: (tx: Tx) => Promise<T>) {
  const done = Promise.withResolvers<T>()
  const end = Promise.withResolvers<void>()
  const over = inTransaction(async (tx) => {
    try {
      done.resolve(await work(tx))
    } catch (error) {
      done.reject(error)
      throw error
    }
    await end.promise
  })
  return {
    done: done.promise,
    commit: async () => {
      end.resolve()
      await over
    },
    rollBack: async () => {
      end.reject(new Error('rolled back on purpose'))
      await expect(over).rejects.toThrow('on purpose')
    },
  }
}

const waiting = (transactions: number) =>
  until(
    `${transactions} transactions wait for a lock`,
    async () => {
      const rows = await owner.query<{ waiting: string }>(
        'test_waiting',
        `select count(*) as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return Number(rows[0]?.waiting) === transactions
    },
    { seconds: 30 },
  )

describe('an idempotency key', () => {
  test('has one owner among 50 claims at once, and everybody learns who', async () => {
    const first = claim()
    const claims = [first, ...Array.from({ length: 49 }, () => again(first))]
    const results = (await Promise.all(claims.map((one) => claimNow(one)))).flat()
    const owner = claims[results.findIndex(({ kind }) => kind === 'new')]
    expect(results.filter(({ kind }) => kind === 'new')).toHaveLength(1)
    expect(results.filter(({ kind }) => kind === 'replay')).toEqual(
      Array.from({ length: 49 }, () => ({ kind: 'replay', resourceId: owner?.resourceId })),
    )
  })

  test('belongs to one content, one operation and one account', async () => {
    const first = claim()
    const other = await anAccount()
    await claimNow(first)
    const differs = again(first, { fingerprint: fingerprint({ amount: '2' }) })
    expect(await claimNow(differs)).toEqual([{ kind: 'mismatch' }])
    expect(await inTransaction((tx) => findKey(tx, differs))).toEqual({ kind: 'mismatch' })
    const replay = { kind: 'replay', resourceId: first.resourceId }
    expect(await inTransaction((tx) => findKey(tx, again(first)))).toEqual(replay)
    expect(await claimNow(again(first, { operation: 'createWallet' }))).toEqual([{ kind: 'new' }])
    const others = again(first, { accountId: other })
    const claimed = database.store.inTransaction(other, (tx) => claimKeys(tx, [others], NOW))
    expect(await claimed).toEqual([{ kind: 'new' }])
    expect(await inTransaction((tx) => findKey(tx, claim()))).toBeUndefined()
  })

  test('waits for the transaction that holds it, and is free when that one rolls back', async () => {
    for (const end of ['commit', 'rollBack'] as const) {
      const first = claim()
      const second = again(first)
      const holder = held((tx) => claimKeys(tx, [first], NOW))
      expect(await holder.done).toEqual([{ kind: 'new' }])
      const next = claimNow(second)
      await waiting(1)
      await holder[end]()
      expect(await next).toEqual([
        end === 'commit' ? { kind: 'replay', resourceId: first.resourceId } : { kind: 'new' },
      ])
    }
  })

  test('that is given back in its own transaction was never used', async () => {
    const [kept, unused] = [claim(), claim()]
    const holder = held(async (tx) => {
      await claimKeys(tx, [kept, unused], NOW)
      await giveKeysBack(tx, [unused])
    })
    await holder.done
    const next = claimNow(again(unused))
    await waiting(1)
    await holder.commit()
    expect(await next).toEqual([{ kind: 'new' }])
    expect(await claimNow(again(kept))).toEqual([{ kind: 'replay', resourceId: kept.resourceId }])
  })

  test('is given back by its owner alone', async () => {
    const first = claim()
    await claimNow(first)
    await inTransaction((tx) => giveKeysBack(tx, [again(first)]))
    expect(await claimNow(again(first))).toMatchObject([{ kind: 'replay' }])
  })

  test('that is given back leaves every other one that leads to the same resource', async () => {
    const first = claim()
    const { key, resourceId } = first
    const others = [
      claim({ resourceId }),
      claim({ key, resourceId, operation: 'fetchPayment' }),
      claim({ key, resourceId, accountId: await anAccount() }),
    ]
    const inService = <T>(work: (tx: Tx) => Promise<T>) =>
      database.store.inTransaction('service', work)
    for (const each of [first, ...others]) await inService((tx) => claimKeys(tx, [each], NOW))
    await inService((tx) => giveKeysBack(tx, [first]))
    expect(await inService((tx) => findKey(tx, first))).toBeUndefined()
    for (const each of others) {
      expect(await inService((tx) => findKey(tx, each))).toEqual({ kind: 'replay', resourceId })
    }
  })

  test('given twice in one batch belongs to the first', async () => {
    const first = claim()
    const twin = again(first)
    const odd = again(first, { fingerprint: fingerprint('else') })
    expect(await claimNow(first, twin, odd, claim())).toEqual([
      { kind: 'new' },
      { kind: 'replay', resourceId: first.resourceId },
      { kind: 'mismatch' },
      { kind: 'new' },
    ])
  })

  test('shared by batches in opposite order makes no deadlock', async () => {
    const [first, middle, last] = [claim(), claim(), claim()]
    const batch = [first, middle, last]
    const twins = batch.map((one) => again(one)).toReversed()
    // Both batches are inside their statement when the key in the middle becomes free.
    const holder = held((tx) => claimKeys(tx, [again(middle)], NOW))
    await holder.done
    const answers = Promise.all([claimNow(...batch), claimNow(...twins)])
    await waiting(2)
    await holder.rollBack()
    const [left, right] = await answers
    const kinds = new Set(left.map(({ kind }) => kind))
    expect(kinds.size).toBe(1)
    expect(right.map(({ kind }) => kind)).toEqual(
      left.map(({ kind }) => (kind === 'new' ? 'replay' : 'new')),
    )
  })

  test('is forgotten when it is older than promised, not before, a bounded number at a time', async () => {
    const [old, older, young] = [claim(), claim(), claim()]
    await inTransaction(async (tx) => {
      await claimKeys(tx, [old, older], NOW - 2)
      await claimKeys(tx, [young], NOW)
    })
    const left = async () => {
      const found: boolean[] = []
      for (const one of [old, older, young]) {
        found.push((await inTransaction((tx) => findKey(tx, one))) !== undefined)
      }
      return found
    }
    await inTransaction((tx) => forgetKeys(tx, NOW - 1, 1))
    expect((await left()).filter(Boolean)).toHaveLength(2)
    await inTransaction((tx) => forgetKeys(tx, NOW - 1, 1_000))
    expect(await left()).toEqual([false, false, true])
  })
})

describe('a fingerprint', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const hex = (value: unknown) => Buffer.from(fingerprint(value)).toString('hex')

  /** The same value with the keys of every object in another order. */
  function shuffled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shuffled)
    if (value === null || typeof value !== 'object') return value
    const fields = Object.entries(value).toReversed()
    return Object.fromEntries(fields.map(([name, field]) => [name, shuffled(field)]))
  }

  test('does not count the order of keys, white space or what is left out', () => {
    fc.assert(
      fc.property(json, (value) => {
        const spaced: unknown = JSON.parse(JSON.stringify(value, null, 3))
        expect(hex(shuffled(spaced))).toBe(hex(value))
      }),
      { seed: SEED },
    )
    expect(hex({ amount: '1', resource: undefined })).toBe(hex({ amount: '1' }))
  })

  test('tells every two values apart', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        fc.pre(JSON.stringify(sortedKeys(one)) !== JSON.stringify(sortedKeys(other)))
        expect(hex(one)).not.toBe(hex(other))
      }),
      { seed: SEED },
    )
    const apart = [
      { amount: '1' },
      { amount: 1 },
      { amount: '1.0' },
      { amount: ['1'] },
      { amount: null },
      { Amount: '1' },
      { amount: '1', metadata: '{}' },
      { amount: '1', metadata: null },
      { amount: '1,"metadata":null' },
      ['amount', '1'],
      [['amount', '1']],
      {},
      [],
      null,
      '',
    ]
    expect(new Set(apart.map(hex)).size).toBe(apart.length)
  })

  function sortedKeys(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(sortedKeys)
    if (value === null || typeof value !== 'object') return value
    const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(fields.map(([name, field]) => [name, sortedKeys(field)]))
  }
})
