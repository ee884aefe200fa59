import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../access/create-account.ts'
import { createKey } from '../access/create-key.ts'
import { changeAccount } from '../access/operator-store.ts'
import { findKeys } from '../access/store.ts'
import { openAudit } from '../audit/audit.ts'
import { SYSTEM } from '../audit/entry.ts'
import type { Caller, Plan } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { Secret, SecretBytes } from '../kernel/secret.ts'
import { until } from '../kernel/until.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { makeOwnKey, rotateOwnKey } from './manage-keys.ts'
import { insertMember, putMembership } from './member-store.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

const SECONDS = 60
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const deps = () => {
  const { store } = database
  const parts = { store, clock: systemClock, random: systemRandom }
  return {
    ...{ ...parts, audit: openAudit(parts) },
    ...{ pepper: new SecretBytes(new Uint8Array(32)), sandbox: true },
  }
}

async function anAccount(plan: Plan): Promise<AccountId> {
  const { accountId } = await createAccount(deps(), 'so far')
  await database.store.inTransaction('service', (tx) =>
    changeAccount(tx, accountId, { plan }, Date.now()),
  )
  return accountId
}

/** An owner of the account who was let in with that plan. */
async function anOwner(accountId: AccountId, plan: Plan): Promise<Caller> {
  const member = { memberId: newId(systemRandom, 'mem'), email: null, name: 'Ada' }
  const { memberId } = member
  const role = 'owner'
  await database.store.inTransaction('service', async (tx) => {
    await insertMember(tx, { ...member, isOperator: false }, Date.now())
    await putMembership(tx, { memberId, accountId, role }, Date.now())
  })
  const sessionId = newId(systemRandom, 'ses')
  const known = { calledName: 'Ada', isOperator: false, csrfToken: new Secret('') }
  const person = { ...known, sessionId, memberId, role } as const
  return { accountId, keyId: sessionId, plan, scopes: new Set(), person }
}

const make = async (accountId: AccountId, plan: Plan) =>
  makeOwnKey(deps(), {
    ...{ caller: await anOwner(accountId, plan), actor: SYSTEM, idempotencyKey: undefined },
    ...{ name: 'till', scopes: ['trade'], expiresAtMilliseconds: null },
  })

/** Changes the plan in a transaction that ends only once the other work waits for it, or is over. */
async function whileChanging(accountId: AccountId, plan: Plan, work: () => Promise<unknown>) {
  const { running } = await database.store.inTransaction('service', async (tx) => {
    await changeAccount(tx, accountId, { plan }, Date.now())
    let isOver = false
    const begun = work().finally(() => (isOver = true))
    await until(
      'the other waits for the account, or is over',
      async () => {
        const waiting = await tx.query(
          'test_waits',
          `select from ${WAITS_HERE} where locktype = 'transactionid'`,
        )
        return isOver || waiting.length > 0
      },
      { seconds: SECONDS },
    )
    return { running: begun }
  })
  await running
}

const plansOf = async (accountId: AccountId) =>
  (await database.store.inTransaction(accountId, (tx) => findKeys(tx, accountId))).map(
    ({ plan }) => plan,
  )

test('a key that is made while its account is taken down to a smaller plan has that plan', async () => {
  const accountId = await anAccount('premium')
  await whileChanging(accountId, 'standard', () => make(accountId, 'premium'))
  expect(await plansOf(accountId)).toEqual(['standard'])
})

test('a key that is rotated meanwhile has the plan that its account then has, a smaller one or a greater', async () => {
  for (const [before, after] of [
    ['premium', 'standard'],
    ['standard', 'enterprise'],
  ] as const) {
    const accountId = await anAccount(before)
    const { facts } = await make(accountId, before)
    const caller = await anOwner(accountId, before)
    await whileChanging(accountId, after, () =>
      rotateOwnKey(deps(), {
        ...{ caller, keyId: facts.keyId, actor: SYSTEM, idempotencyKey: undefined },
        ...{ previousValidSeconds: 60, permit: () => undefined },
      }),
    )
    expect(await plansOf(accountId)).toEqual([after, after])
  }
})

test('a key has the plan of whoever made it where an operator gave that one more than its account has', async () => {
  const accountId = await anAccount('standard')
  const given = {
    accountId,
    name: 'given',
    mode: 'test',
    plan: 'premium',
    scopes: ['trade'],
  } as const
  await createKey(deps(), { ...given, expiresAtMilliseconds: null })
  await make(accountId, 'premium')
  expect(await plansOf(accountId)).toEqual(['premium', 'premium'])
})

test('a key has no more than the plan of whoever made it, whatever its account has', async () => {
  const accountId = await anAccount('enterprise')
  await make(accountId, 'premium')
  expect(await plansOf(accountId)).toEqual(['premium'])
})
