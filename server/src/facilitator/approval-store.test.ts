import { parseNetworkId } from '@florin/wire/network.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import {
  forgetApprovals,
  FundedBefore,
  fundedApproval,
  mayBeBroadcast,
  noteFunding,
  releaseNonce,
  storeApproval,
} from './approval-store.ts'
import type { StoredApproval } from './approval-store.ts'

const parsed = parseNetworkId('eip155:84532')
if (parsed === undefined) throw new Error('no network')
const network = parsed
const elsewhere = testNetwork(1).network
const DAY = 86_400_000
const NOON = 20_000 * DAY + DAY / 2
const accountId = newId(systemRandom, 'acct')

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const inTx = <Value>(work: (tx: Tx) => Promise<Value>) =>
  database.store.inTransaction('service', work)
const store = (approval: StoredApproval, at = NOON) => inTx((tx) => storeApproval(tx, approval, at))
const found = (approval: StoredApproval, at = NOON) =>
  inTx((tx) => fundedApproval(tx, approval, at))
const note = (approval: StoredApproval) => {
  const funding = { paymentId: newId(systemRandom, 'pay'), accountId }
  return inTx((tx) => noteFunding(tx, approval, funding))
}

let payers = 0
/** Of a payer of its own, who lacks so much. */
function anApproval(amount = 500n): StoredApproval {
  const payer = `0x${(payers += 1)}` as Address
  return {
    ...{ network, hash: `${payer}a` as TransactionHash, payer, asset: 'token', nonce: 0n },
    ...{ raw: Uint8Array.of(1), amount, funding: null },
  }
}
/** The same payer signs anew. */
const another = (approval: StoredApproval, change: Partial<StoredApproval> = {}) => ({
  ...approval,
  ...{ hash: `${approval.hash}b` as TransactionHash },
  ...change,
})

test('a payer is given something once a day for each token', async () => {
  const first = anApproval()
  expect(await store(first)).toBe(true)
  expect(await store(first)).toBe(false)
  const next = another(first, { nonce: 1n })
  expect(await store(next)).toBe(false)
  expect(await found(next)).toMatchObject({ hash: first.hash, amount: 500n })
  const hash = `${first.hash}c` as TransactionHash
  expect(await store({ ...next, hash, asset: 'other' })).toBe(true)
  expect(await store(another(first, { nonce: 2n }), NOON + DAY)).toBe(true)
})

test('a nonce is given something once, for whichever token and on whatever day', async () => {
  const first = anApproval()
  await store(first)
  await note(first)
  for (const [asset, at] of [
    ['other', NOON],
    ['token', NOON + 40 * DAY],
  ] as const) {
    const hash = `${first.hash}${asset}` as TransactionHash
    const second = another(first, { hash, asset })
    expect(await store(second, at)).toBe(false)
    expect(await found(second, at)).toMatchObject({ hash: first.hash, funding: { accountId } })
  }
})

test('what one payer is given is nothing that another payer or network is, whatever they share', async () => {
  const first = anApproval()
  await store(first)
  const { hash, payer } = anApproval()
  expect(await found({ ...first, hash, payer })).toBeUndefined()
  expect(await found({ ...first, network: elsewhere })).toBeUndefined()
  expect(await store({ ...first, network: elsewhere })).toBe(true)
  await note(first)
  expect(await found({ ...first, network: elsewhere })).toMatchObject({ funding: null })
  await note({ ...first, network: elsewhere })
})

test('of several that a payer is given something for, it is told of the very one, then of that of its nonce, then of that of its token', async () => {
  const own = anApproval()
  const byNonce = another(own, { asset: 'z', nonce: 2n })
  const byAsset = { ...own, hash: `${own.hash}0` as TransactionHash, asset: 'third', nonce: 1n }
  for (const order of [
    [own, byAsset, byNonce],
    [byNonce, byAsset, own],
  ]) {
    const payer = `${own.payer}${order[0]?.hash}` as Address
    const named = (each: StoredApproval) => ({
      ...each,
      payer,
      hash: `${payer}${each.hash}` as TransactionHash,
    })
    for (const each of order) expect(await store(named(each))).toBe(true)
    const asked = named({ ...own, asset: 'third', nonce: 2n })
    expect(await found(asked)).toMatchObject({ nonce: own.nonce })
    const fourth = { ...asked, hash: `${payer}d` as TransactionHash }
    expect(await found(fourth)).toMatchObject({ nonce: byNonce.nonce })
    expect(await found({ ...fourth, nonce: 9n })).toMatchObject({ nonce: byAsset.nonce })
    expect(await found({ ...fourth, nonce: 9n, asset: 'fourth' })).toBeUndefined()
  }
})

test('what was promised for a nonce on another day and not given stands in nobody’s way', async () => {
  const first = anApproval()
  await store(first, NOON - DAY)
  const second = another(first, { asset: 'other' })
  expect(await found(second)).toBeUndefined()
  expect(await store(second)).toBe(true)
  expect(await found(first)).toMatchObject({ hash: second.hash })
})

test('a nonce is released for another token or another day, and only where something was given for it', async () => {
  const release = (approval: StoredApproval, asset: string, at = NOON) =>
    inTx((tx) => releaseNonce(tx, approval, { asset }, at))
  const [first, second] = [anApproval(), anApproval()]
  for (const each of [first, second]) await store(each)
  expect(await release(first, 'other')).toBe(false)
  for (const each of [first, second]) await note(each)
  expect(await release(first, 'token')).toBe(false)
  expect(await release(first, 'other')).toBe(true)
  expect(await release(first, 'other')).toBe(false)
  const next = another(first, { asset: 'other' })
  expect(await found(next)).toBeUndefined()
  expect(await store(next)).toBe(true)
  expect(await release(second, 'token', NOON + DAY)).toBe(true)
  expect(await store(another(second), NOON + DAY)).toBe(true)
})

test('one whose payer had enough, and has no longer, is given what it lacks then', async () => {
  const enough = anApproval(0n)
  expect(await store(enough)).toBe(true)
  expect(await found(enough)).toBeUndefined()
  const short = { ...enough, amount: 7n }
  expect(await store(short)).toBe(true)
  expect(await store(short)).toBe(false)
  expect(await found(short)).toMatchObject({ hash: short.hash, amount: 7n })
})

test('what was promised on another day and not given counts on the day on which it is', async () => {
  const approval = anApproval()
  await store(approval, NOON - DAY)
  expect(await found(approval)).toBeUndefined()
  expect(await store({ ...approval, amount: 600n })).toBe(true)
  expect(await found(approval)).toMatchObject({ amount: 600n })
  // Whoever read it before gives nothing by it.
  await expect(note(approval)).rejects.toThrow(FundedBefore)
})

test('what was given is never given again, on whatever day it is asked for', async () => {
  const approval = anApproval()
  await store(approval)
  await note(approval)
  for (const at of [NOON, NOON + 40 * DAY]) {
    expect(await store(approval, at)).toBe(false)
    expect(await found(approval, at)).toMatchObject({ funding: { accountId } })
  }
  await expect(note(approval)).rejects.toThrow(FundedBefore)
})

test('a node may have one whose payer had enough, or was given something, and no other', async () => {
  const mayBeOut = (approval: StoredApproval) => inTx((tx) => mayBeBroadcast(tx, approval))
  const [enough, promised] = [anApproval(0n), anApproval()]
  expect(await mayBeOut(enough)).toBe(false)
  await store(enough)
  expect(await mayBeOut(enough)).toBe(true)
  // Its payer has nothing to pay its gas with, so a fee that is too low by now is not paid for.
  await store(promised)
  expect(await mayBeOut(promised)).toBe(false)
  await note(promised)
  expect(await mayBeOut(promised)).toBe(true)
})

test('what gave nobody anything is forgotten, and what was given stays', async () => {
  const [given, waiting, fresh] = [anApproval(), anApproval(), anApproval()]
  const unpaid = anApproval(0n)
  const now = NOON + limits.approvalKeptDays * DAY + 1
  for (const approval of [given, waiting, unpaid]) await store(approval)
  await note(given)
  await store(fresh, now)
  expect(await inTx((tx) => forgetApprovals(tx, now, 1))).toBe(true)
  while (await inTx((tx) => forgetApprovals(tx, now, 1)));
  const hashes = [given, waiting, unpaid, fresh].map(({ hash }) => hash)
  const left = await database.store.query<{ hash: string }>(
    'test_left',
    'select hash from sponsored_approvals where hash = any($1) order by created_at',
    [hashes],
  )
  expect(left.map(({ hash }) => hash)).toEqual([given.hash, fresh.hash])
})
