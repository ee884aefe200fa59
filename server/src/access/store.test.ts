import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Plan } from '../kernel/caller.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, KeyId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { accountPlan, openAccounts } from './account-store.ts'
import { dropExpiredKeys, endKeyAt, holdKey } from './key-end-store.ts'
import { changeAccount, changePlan } from './operator-store.ts'
import * as keys from './store.ts'
import { liveKeys } from './stream-store.ts'

const NOW = 1_790_000_000_000

let database: TestDatabase
let own: AccountId
let other: AccountId
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

beforeEach(async () => {
  own = await account()
  other = await account()
})

async function account(): Promise<AccountId> {
  const accountId = newId(systemRandom, 'acct')
  const made = { accountId, name: 'Shop', createdAtMilliseconds: NOW }
  await inService((tx) => keys.insertAccount(tx, made))
  return accountId
}

const digestOf = (keyId: KeyId) => Buffer.from(keyId.padEnd(32).slice(-32))

async function key(
  accountId = own,
  expiresAtMilliseconds: number | null = null,
  plan: Plan = 'standard',
): Promise<KeyId> {
  const keyId = newId(systemRandom, 'key')
  const facts = {
    ...{ keyId, accountId, name: 'till', mode: 'test' as const, lastFour: 'abcd', plan },
    ...{ scopes: ['read' as const], createdAtMilliseconds: NOW, expiresAtMilliseconds },
  }
  await inService((tx) => keys.insertKey(tx, facts, digestOf(keyId)))
  return keyId
}

const drop = (keyId: KeyId, accountId = own) =>
  inService((tx) => keys.markKeyDeleted(tx, accountId, keyId, NOW))
const listed = async (accountId = own) => {
  const found = await inService((tx) => keys.findKeys(tx, accountId))
  return found.map(({ keyId }) => keyId).toSorted()
}
/** When a key ends, also one that was deleted. */
const endOf = async (keyId: KeyId) => {
  const [row] = await database.store.query<{ expires_at: Date | null }>(
    'test_end',
    'select expires_at from api_keys where id = $1',
    [keyId],
  )
  return row?.expires_at?.getTime() ?? null
}

describe('a key', () => {
  test('is deleted by its own account, once, and no other is', async () => {
    const [first, second, theirs] = [await key(), await key(), await key(other)]
    expect(await drop(theirs)).toBe(false)
    expect([await drop(first), await drop(first)]).toEqual([true, false])
    expect([await listed(), await listed(other)]).toEqual([[second], [theirs]])
  })

  test('ends at the earlier of two times, and neither one that was deleted nor any other ends with it', async () => {
    const [ending, beside, gone, theirs] = [await key(), await key(), await key(), await key(other)]
    await drop(gone)
    for (const at of [NOW + 5, NOW + 9]) {
      for (const keyId of [ending, gone, theirs]) {
        await inService((tx) => endKeyAt(tx, own, keyId, at))
      }
    }
    expect(await Promise.all([ending, beside, gone, theirs].map(endOf))).toEqual([
      ...[NOW + 5, null, null, null],
    ])
  })

  test('is held by its own account as long as it lives', async () => {
    const [living, ended, gone] = [await key(own, NOW + 1), await key(own, NOW), await key()]
    await drop(gone)
    const held = (keyId: KeyId, by = own) => inService((tx) => holdKey(tx, by, keyId, NOW))
    expect(await held(living)).toBe(true)
    expect(await held(living, other)).toBe(false)
    expect([await held(ended), await held(gone)]).toEqual([false, false])
    expect(await inService((tx) => keys.countLiveKeys(tx, own, NOW))).toBe(1)
    expect(await inService((tx) => keys.countLiveKeys(tx, other, NOW))).toBe(0)
  })

  test('that has expired is dropped but for those that expired last, so many at once, and no account’s but its own', async () => {
    const expired: KeyId[] = []
    for (const at of [3, 1, 2, 4]) expired.push(await key(own, NOW - at))
    const [third, first, second, fourth] = expired
    const living = await key(own, NOW + 1)
    // One that was deleted is none of those that are kept.
    await drop(await key(own, NOW))
    const theirs = [await key(other, NOW - 9), await key(other, NOW - 8)].toSorted()
    const most = (count: number) =>
      inService((tx) => dropExpiredKeys(tx, own, NOW, { kept: 1, count }))
    await most(1)
    expect(await listed()).toEqual([first, third, fourth, living].toSorted())
    await most(9)
    expect(await listed()).toEqual([first, living].toSorted())
    expect(second).toBeDefined()
    expect(await listed(other)).toEqual(theirs)
  })

  test('opens nothing once it was deleted or its account is suspended', async () => {
    const [living, gone, shut, late] = [
      await key(),
      await key(),
      await key(other),
      await key(own, NOW - 1e12),
    ]
    await drop(gone)
    await inService((tx) => changeAccount(tx, other, { suspended: true }, NOW))
    const all = [living, gone, shut]
    const found = await keys.findKeysByDigest(database.store, all.map(digestOf))
    expect(found.map(({ facts }) => facts.keyId)).toEqual([living])
    for (const keyId of all) {
      const one = await keys.findKeyByDigest(database.store, digestOf(keyId))
      expect(one?.facts.keyId).toBe(keyId === living ? living : undefined)
    }
    expect([...(await liveKeys(database.store, [...all, late])).keys()]).toEqual([living])
    expect([...(await openAccounts(database.store, [own, other])).keys()]).toEqual([own])
    expect(await accountPlan(database.store, other)).toBeUndefined()
  })

  test('was used last when it was, whatever is noted late, and no other was', async () => {
    const [used, idle] = [await key(), await key()]
    for (const at of [NOW + 5, NOW + 3]) await keys.markKeyUsed(database.store, used, at)
    const facts = await inService((tx) => keys.findKeys(tx, own))
    const last = new Map(facts.map((each) => [each.keyId, each.lastUsedAtMilliseconds]))
    expect([last.get(used), last.get(idle)]).toEqual([NOW + 5, null])
  })
})

describe('what an operator changes', () => {
  const facts = async (keyId: KeyId) => {
    const found = await keys.findKeyByDigest(database.store, digestOf(keyId))
    return found && { plan: found.facts.plan, exceptions: Object.fromEntries(found.exceptions) }
  }

  test('of an account changes no other, and the plan of its own keys alone', async () => {
    const [mine, gone, theirs] = [await key(), await key(), await key(other)]
    await drop(gone)
    await inService((tx) => changeAccount(tx, own, { plan: 'premium', name: 'Anew' }, NOW))
    const plans = await database.store.query(
      'test_plans',
      'select id, plan from api_keys where id = any($1) order by array_position($1, id)',
      [[mine, gone, theirs]],
    )
    expect(plans).toEqual([
      { id: mine, plan: 'premium' },
      { id: gone, plan: 'standard' },
      { id: theirs, plan: 'standard' },
    ])
    expect(await accountPlan(database.store, own)).toMatchObject({ plan: 'premium' })
    expect(await accountPlan(database.store, other)).not.toMatchObject({ plan: 'premium' })
  })

  test('of a plan changes no other', async () => {
    const [one, two] = [await key(own, null, 'standard'), await key(own, null, 'premium')]
    const before = await facts(two)
    const exceptions = [
      { operation: 'a', included: true },
      { operation: 'b', included: false },
    ]
    await inService((tx) => changePlan(tx, 'standard', { exceptions }))
    expect(await facts(one)).toEqual({ plan: 'standard', exceptions: { a: true, b: false } })
    expect(await facts(two)).toEqual(before)
    await inService((tx) => changePlan(tx, 'premium', { exceptions }))
    const without = { operation: 'a', included: null }
    await inService((tx) => changePlan(tx, 'premium', { exception: without }))
    await inService((tx) => changePlan(tx, 'standard', { requestsPerMinute: 7 }))
    expect(await facts(one)).toEqual({ plan: 'standard', exceptions: { a: true, b: false } })
    expect(await facts(two)).toEqual({ plan: 'premium', exceptions: { b: false } })
    const limit = async (keyId: KeyId) =>
      (await keys.findKeyByDigest(database.store, digestOf(keyId)))?.requestsPerMinute
    expect(await limit(one)).toBe(7)
    expect(await limit(two)).not.toBe(7)
  })
})
