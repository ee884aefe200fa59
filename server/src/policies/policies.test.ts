import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseNetworkId } from '@florin/wire/network.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { newId } from '../kernel/id.ts'
import type { AccountId, PaymentId, WalletId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { Tx } from '../store/postgres.ts'
import { openBudget } from './budget.ts'
import type { PolicyRules } from './rules.ts'
import { releaseSpends } from './spends-store.ts'
import { readPolicy, writePolicy } from './store.ts'
import { write } from '../store/test-write.ts'

const BASE = parseNetworkId('eip155:84532') ?? fail()
const OTHER = parseNetworkId('eip155:8453') ?? fail()
const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = 1_790_000_000_000

let database: TestDatabase
let accountId: AccountId
let wallet: { id: WalletId; accountId: AccountId }

function fail(): never {
  throw new Error('not a network')
}

beforeAll(async () => {
  database = await openTestDatabase()
  accountId = newId(systemRandom, 'acct')
  await write(database.store, 'test_account', `insert into accounts (id, name) values ($1, 'a')`, [
    accountId,
  ])
})
afterAll(() => database.close())
beforeEach(async () => {
  wallet = { id: newId(systemRandom, 'wal'), accountId }
  await write(
    database.store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $1, '', '')`,
    [wallet.id, accountId],
  )
})

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  database.store.inTransaction(accountId, work)

const nativeLimit = (limit: object): PolicyRules => ({
  limits: [{ network: BASE, asset: 'native', decimals: 0, ...limit }],
  recipients: null,
  resources: null,
})
const setPolicy = (rules: PolicyRules | null) =>
  inTransaction((tx) => writePolicy(tx, { accountId, walletId: wallet.id }, rules, NOW))

/** Asks for budgets as a signing transaction does, and stores what was granted. */
async function spend(
  amounts: readonly bigint[],
  at: { now?: number; network?: NetworkId } = {},
): Promise<readonly (PaymentId | string)[]> {
  const { now: nowMilliseconds = NOW, network = BASE } = at
  return inTransaction(async (tx) => {
    const budget = await openBudget(tx, { wallet, network, assets: ['native'], nowMilliseconds })
    const answers = amounts.map((amount) => {
      const paymentId = newId(systemRandom, 'pay')
      const asked = { paymentId, asset: 'native', amount, recipient: 'r', resource: null }
      const refusal = budget.check(asked)
      if (refusal !== undefined) return 'left' in refusal ? refusal.left : refusal.rule
      budget.take(asked)
      return paymentId
    })
    await budget.reserve(tx)
    for (const answer of answers.filter((text) => text.startsWith('pay_'))) {
      await tx.query(
        'test_payment',
        `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals,
           sender, recipient, sandbox, created_at)
         values ($1, $2, 'sent', $3, $4, 'native', 1, 18, 's', 'r', true, now())`,
        [answer, accountId, wallet.id, network],
      )
    }
    return answers
  })
}

const granted = (answers: readonly string[]) => answers.filter((text) => text.startsWith('pay_'))

describe('a budget', () => {
  test('is passed neither by one batch nor by many at once', async () => {
    await setPolicy(nativeLimit({ perDay: 10n }))
    const batches = await Promise.all(Array.from({ length: 12 }, () => spend([1n, 1n, 1n])))
    expect(granted(batches.flat())).toHaveLength(10)
    expect(await spend([1n])).toEqual(['0'])
  })

  test.each(['perHour', 'perDay', 'perMonth'])(
    'of a window %s is not passed by one batch',
    async (window) => {
      await setPolicy(nativeLimit({ [window]: 10n }))
      expect(granted(await spend([6n, 6n, 4n]))).toHaveLength(2)
      expect(await spend([1n])).toEqual(['0'])
    },
  )

  test('comes back when its payment failed, once, and not before', async () => {
    await setPolicy(nativeLimit({ perDay: 10n }))
    const [first = ''] = granted(await spend([6n]))
    expect(await spend([6n])).toEqual(['4'])
    const release = () => inTransaction((tx) => releaseSpends(tx, [first as PaymentId], NOW))
    await release()
    await release()
    expect(granted(await spend([6n]))).toHaveLength(1)
    expect(await spend([6n])).toEqual(['4'])
  })

  test('counts rolling windows: what is exactly one window old is free again', async () => {
    await setPolicy(nativeLimit({ perHour: 10n, perDay: 20n, perMonth: 30n }))
    const spendAt = (now: number) => spend([10n], { now })
    expect(granted(await spendAt(NOW))).toHaveLength(1)
    expect(await spendAt(NOW + HOUR - 1)).toEqual(['0'])
    expect(granted(await spendAt(NOW + HOUR))).toHaveLength(1)
    expect(await spendAt(NOW + DAY - 1)).toEqual(['0'])
    expect(granted(await spendAt(NOW + DAY))).toHaveLength(1)
    expect(await spendAt(NOW + 30 * DAY - 1)).toEqual(['0'])
    expect(granted(await spendAt(NOW + 30 * DAY))).toHaveLength(1)
  })

  test('counts what was spent before the policy was set', async () => {
    expect(granted(await spend([7n]))).toHaveLength(1)
    await setPolicy(nativeLimit({ perDay: 10n }))
    expect(await spend([7n])).toEqual(['3'])
  })

  test('is kept per network, and an asset without an entry has none', async () => {
    await setPolicy(nativeLimit({ perDay: 10n }))
    expect(await spend([1n], { network: OTHER })).toEqual(['limits'])
    expect(granted(await spend([10n]))).toHaveLength(1)
  })

  test('is not taken by a transaction that was rolled back', async () => {
    await setPolicy(nativeLimit({ perDay: 10n }))
    const lost = inTransaction(async (tx) => {
      const budget = await openBudget(tx, {
        wallet,
        network: BASE,
        assets: ['native'],
        nowMilliseconds: NOW,
      })
      const paymentId = newId(systemRandom, 'pay')
      budget.take({ paymentId, asset: 'native', amount: 10n, recipient: 'r', resource: null })
      await budget.reserve(tx)
    })
    // No payment was written for it, which the database notices at the commit.
    await expect(lost).rejects.toThrow('policy_spends_payment_id_fkey')
    expect(granted(await spend([10n]))).toHaveLength(1)
  })
})

describe('a policy', () => {
  test('is replaced whole, removed with null, and belongs to its account', async () => {
    const read = (whose: AccountId) =>
      inTransaction((tx) => readPolicy(tx, { accountId: whose, walletId: wallet.id }))
    await setPolicy(nativeLimit({ perDay: 10n, perHour: 1n }))
    await setPolicy(nativeLimit({ perMonth: 5n }))
    expect(await read(accountId)).toEqual(nativeLimit({ perMonth: 5n }))
    const stranger = newId(systemRandom, 'acct')
    expect(await read(stranger)).toBeUndefined()
    await inTransaction((tx) =>
      writePolicy(tx, { accountId: stranger, walletId: wallet.id }, null, NOW),
    )
    expect(await read(accountId)).toBeDefined()
    await setPolicy(null)
    expect(await read(accountId)).toBeUndefined()
  })
})
