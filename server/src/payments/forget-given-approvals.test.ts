import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { fundedApproval, noteFunding, storeApproval } from '../facilitator/approval-store.ts'
import type { StoredApproval } from '../facilitator/approval-store.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import { FORGETTERS } from '../forget-all.ts'
import { forgetGivenApprovals } from './forget-given-approvals.ts'
import type { PaymentStatus } from './payment.ts'
import { makeWallet, testNetwork } from './test-lane.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const DAY = 86_400_000
const OLD = NOW - limits.approvalGivenKeptDays * DAY - 1
const { network } = testNetwork(84_532)

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const inTx = <Value>(work: (tx: Tx) => Promise<Value>) =>
  database.store.inTransaction('service', work)
const isKnown = async (approval: StoredApproval) =>
  (await inTx((tx) => fundedApproval(tx, approval, NOW))) !== undefined

let payers = 0
/** One for which a payment of this status gave something then. */
async function given(status: PaymentStatus, atMilliseconds = OLD): Promise<StoredApproval> {
  const { accountId } = await makeWallet(database.store)
  const payer = `0x${(payers += 1)}` as Address
  const approval: StoredApproval = {
    ...{ network, hash: `${payer}a` as TransactionHash, payer, asset: 'token', nonce: 0n },
    ...{ raw: Uint8Array.of(1), amount: 5n, funding: null },
  }
  const paymentId = newId(systemRandom, 'pay')
  await inTx(async (tx) => {
    await storeApproval(tx, approval, atMilliseconds)
    await noteFunding(tx, approval, { paymentId, accountId })
    await tx.query(
      'test_payment',
      `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, status, failure,
         transaction_hash, block_height, sandbox, created_at)
       values ($1, $2, 'received', $3, 'native', 5, 18, 'sponsor', $4, $5, case when $5 = 'failed' then '{}'::jsonb end, $1, 1, true, now())`,
      [paymentId, accountId, network, payer, status],
    )
  })
  return approval
}

test('what was given long ago is forgotten once its payment can change no more', async () => {
  expect(FORGETTERS).toContain(forgetGivenApprovals)
  const over = [await given('settled'), await given('failed'), await given('expired')]
  const fresh = await given('settled', OLD + DAY)
  await inTx((tx) => forgetGivenApprovals(tx, NOW))
  for (const approval of over) expect(await isKnown(approval)).toBe(false)
  expect(await isKnown(fresh)).toBe(true)
})

test('one whose payment is open binds however old it is, and holds up none that is behind it', async () => {
  const open = [await given('pending', OLD - DAY), await given('confirmed', OLD - DAY)]
  const over = [await given('settled'), await given('settled')]
  let rounds = 0
  while (rounds < 9 && (await inTx((tx) => forgetGivenApprovals(tx, NOW, 3)))) rounds += 1
  for (const approval of open) expect(await isKnown(approval)).toBe(true)
  for (const approval of over) expect(await isKnown(approval)).toBe(false)
})
