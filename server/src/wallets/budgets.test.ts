import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, WalletId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { PolicyRules } from '../policies/rules.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { budgetsOf } from './budgets.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { write } from '../store/test-write.ts'

const NETWORK = parseNetworkId('eip155:84532') ?? fail()
const OTHER = parseNetworkId('eip155:8453') ?? fail()
const NOW = Date.UTC(2026, 8, 21, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function fail(): never {
  throw new Error('not a network')
}

interface Whose {
  readonly id: WalletId
  readonly accountId: AccountId
}

let database: TestDatabase
let wallet: Whose
let stranger: Whose

beforeAll(async () => {
  database = await openTestDatabase()
  wallet = await storeTestWallet(database.store)
  stranger = await storeTestWallet(database.store)
})
afterAll(() => database.close())

async function spend(
  of: Whose,
  fields: { amount: bigint; ago: number; status: string; network?: string; asset?: string },
) {
  const { amount, ago, status, network = NETWORK, asset = 'native' } = fields
  const id = newId(systemRandom, 'pay')
  const at = new Date(NOW - ago)
  const isSeen = status === 'confirmed' || status === 'settled'
  await write(
    database.store,
    'test_pay',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, confirmed_at, settled_at, transaction_hash, block_height, failure)
     values ($1, $2, 'sent', $3, $4, $5, $6, 18, 's', 'r', $7, true, $8, $9, $9, $10, 1, $11)`,
    [
      ...[id, of.accountId, of.id, network, asset, amount.toString(), status, at],
      ...[isSeen ? at : null, isSeen ? id : null, status === 'failed' ? '{}' : null],
    ],
  )
  await write(
    database.store,
    'test_spend',
    `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at, released_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[id, of.id, of.accountId, network, asset, amount.toString(), at],
      status === 'failed' ? at : null,
    ],
  )
}

const budgets = (limits: PolicyRules['limits'] | undefined) =>
  database.store.inTransaction(wallet.accountId, (tx) =>
    budgetsOf(tx, wallet, limits && { limits, recipients: null, resources: null }, NOW),
  )
const native = { network: NETWORK, asset: 'native', decimals: 18 }

test('a wallet without limits over time has no budgets', async () => {
  expect(await budgets(undefined)).toEqual([])
  expect(await budgets([{ ...native, perPayment: 5n }])).toEqual([])
})

test('a limit nobody has touched is wholly left', async () => {
  expect(await budgets([{ ...native, perHour: 7n }])).toEqual([
    {
      ...native,
      ...{ rule: 'perHour', windowSeconds: 3600, allowed: 7n, spent: 0n, held: 0n, left: 7n },
    },
  ])
})

test('of each window it says what is final, what is under way, and what is left', async () => {
  // More than a double holds, so that a sum over floats would be seen.
  const large = 10n ** 24n + 1n
  await spend(wallet, { amount: large, ago: MINUTE, status: 'settled' })
  await spend(wallet, { amount: 20n, ago: 2 * MINUTE, status: 'pending' })
  await spend(wallet, { amount: 300n, ago: 3 * HOUR, status: 'confirmed' })
  await spend(wallet, { amount: 4_000n, ago: 2 * DAY, status: 'settled' })
  await spend(wallet, { amount: 50_000n, ago: 31 * DAY, status: 'pending' })
  await spend(wallet, { amount: 600_000n, ago: MINUTE, status: 'failed' })
  await spend(wallet, { amount: 7n, ago: MINUTE, status: 'settled', network: OTHER })
  await spend(wallet, { amount: 8n, ago: MINUTE, status: 'pending', asset: '0xa' })
  await spend(stranger, { amount: 9n, ago: MINUTE, status: 'settled' })
  const allowed = 2n * 10n ** 24n
  const found = await budgets([
    { ...native, perHour: allowed, perDay: allowed, perMonth: allowed },
    { ...native, asset: '0xa', perPayment: 1n, perDay: 3n },
  ])
  expect(
    found.map(({ asset, rule, spent, held, left }) => [asset, rule, spent, held, left]),
  ).toEqual([
    ['native', 'perHour', large, 20n, allowed - large - 20n],
    ['native', 'perDay', large, 320n, allowed - large - 320n],
    ['native', 'perMonth', large + 4_000n, 320n, allowed - large - 4_320n],
    // Tightened after it was spent: nothing is left, and never less.
    ['0xa', 'perDay', 0n, 8n, 0n],
  ])
})

test('another account sees nothing of it, whatever it asks with', async () => {
  const { length } = await database.store.inTransaction(stranger.accountId, (tx) =>
    budgetsOf(
      tx,
      wallet,
      { limits: [{ ...native, perDay: 1n }], recipients: null, resources: null },
      NOW,
    ).then((found) => found.filter(({ spent, held }) => spent + held > 0n)),
  )
  expect(length).toBe(0)
})
