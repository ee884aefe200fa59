import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import { openWindows } from '../access/windows.ts'
import type { Chain } from '../chains/chain.ts'
import { openDirectory } from '../chains/directory.ts'
import { connectEvm } from '../chains/evm/connect.ts'
import { openTestServer } from '../http/test-server.ts'
import type { Answered } from '../http/test-server.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { KeyId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openRequestCounts } from './count-requests.ts'
import { forgetOldDays } from './forget-days.ts'
import { reportRoutes } from './routes.ts'

const random = systemRandom
const HOUR = 3_600_000
/** Twenty past an hour. */
const NOW = Date.UTC(2026, 8, 21, 10, 20)
const NETWORK = parseNetworkId('eip155:84532') ?? fail()
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const config: NetworkConfig = {
  network: NETWORK,
  family: 'evm',
  name: 'a sandbox',
  sandbox: true,
  sandboxInstance: 'one',
  rpcUrls: [],
  assets: [
    { symbol: 'ETH', asset: 'native', decimals: 18, takesCommitment: true },
    { symbol: 'USDC', asset: USDC, decimals: 6, takesCommitment: true },
  ],
  releaseDepth: 0,
  finality: { kind: 'tag' },
  blockTimeMilliseconds: 1000,
  fees: { feePerGasMax: 1n, tipPerGasDefault: 1n, ceilingMultiple: 1n, bumpAfterBlocks: 1 },
}

function fail(): never {
  throw new Error('not a network')
}

const accounts = {
  alice: newId(random, 'acct'),
  bob: newId(random, 'acct'),
  carol: newId(random, 'acct'),
}
const keys = new Map<string, KeyId>()
const time = { now: NOW }
const clock: Clock = { ...systemClock, nowMilliseconds: () => time.now }
let onChain = 5n
let followed = true
let database: TestDatabase
let server: Awaited<ReturnType<typeof openTestServer>>
const windows = openWindows({ clock })

const sql = (name: string, text: string, values: readonly unknown[] = []) =>
  database.store.query<Record<string, unknown>>(name, text, values)

/** A payment of an account, `ago` before now. */
async function pay(
  accountId: string,
  fields: {
    status?: string
    ago?: number
    took?: number | null
    amount?: bigint
    type?: string
    asset?: string
    occurrence?: number | null
    wallet?: string | null
  } = {},
): Promise<string> {
  const {
    status = 'settled',
    ago = 0,
    took = 1000,
    amount = 1_000_000n,
    type = 'sent',
    asset = USDC,
    wallet = null,
  } = fields
  const id = newId(random, 'pay')
  const isSeen = status === 'confirmed' || status === 'settled'
  await sql(
    'test_pay',
    `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
       created_at, confirmed_at, settled_at, transaction_hash, block_height, failure, occurrence)
     values ($1, $2, $3, $13, $4, $5, $6, $7, 's', 'r', $8, true, $9, $10, $10, $11, 1, $12, $14)`,
    [
      id,
      accountId,
      type,
      NETWORK,
      asset,
      amount.toString(),
      asset === 'native' ? 18 : 6,
      status,
      new Date(NOW - ago),
      isSeen && took !== null ? new Date(NOW - ago + took) : null,
      isSeen ? id : null,
      status === 'failed' ? '{}' : null,
      wallet,
      fields.occurrence ?? null,
    ],
  )
  return id
}

beforeAll(async () => {
  database = await openTestDatabase()
  for (const [name, accountId] of Object.entries(accounts)) {
    await sql('test_account', `insert into accounts (id, name) values ($1, 'a')`, [accountId])
    const key = newId(random, 'key')
    keys.set(name, key)
    await sql(
      'test_key',
      `insert into api_keys (id, account_id, name, digest, last_four, mode, plan, scopes)
       values ($1, $2, 'till', $3, 'abcd', 'test', 'premium', '{read}')`,
      [key, accountId, Buffer.from(random.bytes(32))],
    )
  }
  await sql('test_follow', `insert into followers (network, height) values ($1, 7)`, [NETWORK])
  const chain: Chain = {
    ...connectEvm({ config, log: openLog('silent'), clock }),
    balances: async () => ({ height: 7n, amounts: [onChain] }),
  }
  server = await openTestServer({
    clock,
    routes: reportRoutes({
      store: database.store,
      clock,
      windows,
      networks: [config],
      directory: openDirectory([chain]),
      fees: {
        of: async () => ({
          transfer: baseUnits(100n),
          priorityFee: baseUnits(1n),
          updatedAtMilliseconds: NOW,
        }),
      },
      isFollowed: () => followed,
    }),
    authenticate: async ([value = '']) => {
      const found = Object.entries(accounts).find(([name]) => value === `Bearer ${name}`)
      const keyId = found && keys.get(found[0])
      if (found === undefined || keyId === undefined) throw new Refusal('UNAUTHORIZED')
      return { accountId: found[1], keyId, plan: 'standard', scopes: new Set(['read']) }
    },
  })
})
afterAll(async () => {
  await server.close()
  await database.close()
})

/** An answer whose fields the schema has checked already. */
interface Shown {
  readonly [field: string]: unknown
  readonly totals: Record<string, unknown> & {
    latency: { p50: number; p95: number }
    volume: readonly Record<string, unknown>[]
  }
  readonly buckets: readonly (Record<string, unknown> & { from: number })[]
  readonly attention: readonly Record<string, unknown>[]
  readonly keys: readonly Record<string, unknown>[]
  readonly days: readonly { day: string; requests: number }[]
}
async function read(path: string, as: keyof typeof accounts = 'alice'): Promise<Shown> {
  const answered: Answered = await server.ask('GET', path, {
    headers: { authorization: `Bearer ${as}` },
  })
  expect(answered.status, JSON.stringify(answered.body)).toBe(200)
  return answered.body as Record<string, never> & Shown
}

describe('the overview', () => {
  test('sums up what became of the payments of the account alone, in exact amounts', async () => {
    await pay(accounts.alice, { took: 900, amount: 2_500_000n })
    await pay(accounts.alice, { took: 1100, ago: HOUR, status: 'confirmed' })
    await pay(accounts.alice, { took: 5000, ago: 23 * HOUR, type: 'received', amount: 7n })
    await pay(accounts.alice, { took: 1, ago: HOUR, type: 'received', asset: 'native' })
    await pay(accounts.alice, { status: 'failed', ago: HOUR, amount: 999n })
    await pay(accounts.alice, { status: 'expired', ago: HOUR })
    // Not in the day: it was created before.
    await pay(accounts.alice, { ago: 25 * HOUR })
    await pay(accounts.bob, { amount: 77_000_000n })
    const { totals, buckets, from, to, period } = await read('/overview')
    expect([period, from, to]).toEqual([
      'day',
      Date.UTC(2026, 8, 20, 11),
      Date.UTC(2026, 8, 21, 11),
    ])
    expect(totals).toMatchObject({
      payments: 6,
      succeeded: 4,
      failed: 1,
      expired: 1,
      pending: 0,
      successRate: 0.8,
    })
    expect(totals.volume.map(({ symbol, payments }) => [symbol, payments])).toEqual([
      ['USDC', 5],
      ['ETH', 1],
    ])
    expect(totals.volume[0]).toMatchObject({
      sent: 3.5,
      sentBaseUnits: '3500000',
      received: 0.000007,
      receivedBaseUnits: '7',
    })
    expect(buckets.map(({ payments }) => payments)).toEqual([
      1,
      ...Array.from({ length: 21 }, () => 0),
      4,
      1,
    ])
    const starts = buckets.map((bucket) => bucket.from)
    expect(starts).toEqual(starts.map((_, index) => Number(from) + index * HOUR))
    const { latency } = totals
    for (const [said, really] of [
      [latency.p50, 900],
      [latency.p95, 5000],
    ] as const) {
      expect(said).toBeGreaterThan(really)
      expect(said).toBeLessThanOrEqual(really * 1.06)
    }
  })

  test('of a month has 30 days, and no plain deposit in its latency', async () => {
    time.now += HOUR
    const month = await read('/overview?period=month')
    expect(month.buckets).toHaveLength(30)
    expect(month.totals).toMatchObject({ payments: 7 })
    expect(month.buckets.at(-2)).toMatchObject({ from: Date.UTC(2026, 8, 20), payments: 2 })
    expect((await read('/overview', 'carol')).totals).toMatchObject({
      payments: 0,
      successRate: null,
      latency: null,
      volume: [],
    })
  })

  test('reads a day again after a few seconds, and not before', async () => {
    const before = await read('/overview', 'bob')
    await pay(accounts.bob)
    expect(await read('/overview', 'bob')).toMatchObject({ asOf: before['asOf'] })
    time.now += 5_000
    expect((await read('/overview', 'bob')).totals).toMatchObject({ payments: 2 })
  })
})

describe('attention', () => {
  const attention = async (as: keyof typeof accounts) => (await read('/overview', as)).attention

  test('is empty when all is well', async () => {
    expect(await attention('alice')).toEqual([])
  })

  test('names a network that is halted, or that nobody follows', async () => {
    followed = false
    expect(await attention('alice')).toEqual([
      { kind: 'network_failing', network: NETWORK, reason: 'not_followed' },
    ])
    await sql('test_halt', `update followers set halted_reason = 'a reorg'`)
    expect(await attention('alice')).toMatchObject([{ reason: 'halted' }])
    await sql('test_release', `update followers set halted_reason = null`)
    followed = true
  })

  test('names payments that wait for more than a minute, a paused webhook, a low wallet and a spent budget', async () => {
    const wallet = newId(random, 'wal')
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    await sql(
      'test_wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', $3, '', '')`,
      [wallet, accounts.bob, address],
    )
    const oldest = await pay(accounts.bob, { status: 'pending', ago: 4 * HOUR, wallet })
    await pay(accounts.bob, { status: 'pending', ago: 3 * HOUR, wallet })
    await pay(accounts.bob, { status: 'pending', ago: -time.now + NOW + 30_000, wallet })
    const hook = newId(random, 'whk')
    await sql(
      'test_hook',
      `insert into webhooks (id, account_id, url, types, enabled, sealed_secret, created_at, updated_at, paused_at, pause_reason)
       values ($1, $2, 'https://shop.example/', '{}', true, '', $3, $3, $3, 'gone')`,
      [hook, accounts.bob, new Date(NOW)],
    )
    await sql(
      'test_books',
      `insert into ledger_accounts (account_id, wallet_id, network, asset, kind, balance)
       values ($1, $2, $3, 'native', 'available', 3)`,
      [accounts.bob, wallet, NETWORK],
    )
    await sql(
      'test_rules',
      `insert into wallet_policies (wallet_id, account_id, rules) values ($1, $2, $3)`,
      [
        wallet,
        accounts.bob,
        JSON.stringify({
          limits: [
            { network: NETWORK, asset: USDC, decimals: 6, perHour: '1000', perDay: '100000' },
          ],
          recipients: null,
          resources: null,
        }),
      ],
    )
    await sql(
      'test_spend',
      `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
       values ($1, $2, $3, $4, $5, 950, $6)`,
      [oldest, wallet, accounts.bob, NETWORK, USDC, new Date(time.now)],
    )
    expect(await attention('bob')).toEqual([
      { kind: 'payments_pending', count: 2, paymentId: oldest, since: NOW - 4 * HOUR },
      {
        kind: 'webhook_paused',
        webhookId: hook,
        url: 'https://shop.example/',
        since: NOW,
        reason: 'gone',
      },
      {
        kind: 'wallet_low',
        address,
        network: NETWORK,
        asset: 'native',
        available: 5e-18,
        availableBaseUnits: '5',
      },
      {
        kind: 'budget_low',
        address,
        network: NETWORK,
        asset: USDC,
        rule: 'perHour',
        limit: 0.001,
        left: 0.00005,
      },
    ])
    // Money arrived that the books have not heard of.
    onChain = 5_000n
    const kinds = (await attention('bob')).map(({ kind }) => kind)
    expect(kinds).not.toContain('wallet_low')
    expect(await attention('alice')).toEqual([])
  })
})

describe('usage', () => {
  test('says the plan, its limits and what each key has used of its window', async () => {
    const key = keys.get('carol') ?? fail()
    windows.take(key, 1_000)
    windows.take(key, 1_000)
    const usage = await read('/usage', 'carol')
    expect(usage).toMatchObject({
      plan: 'premium',
      limits: { requestsPerMinute: 1000, keys: 20, eventSockets: 20 },
    })
    expect(usage.keys).toMatchObject([
      { keyId: key, plan: 'premium', used: 2, resetsAt: time.now + 60_000 },
    ])
    expect(usage.days).toHaveLength(30)
    expect(usage.days.every(({ requests }) => requests === 0)).toBe(true)
  })

  test('counts requests by day, all accounts in one statement, and adds up over instances', async () => {
    const writes: string[] = []
    const store = {
      ...database.store,
      inTransaction: ((scope, work) => {
        writes.push(scope)
        return database.store.inTransaction(scope, work)
      }) as typeof database.store.inTransaction,
    }
    const who = (name: keyof typeof accounts) =>
      Promise.resolve({
        accountId: accounts[name],
        keyId: keys.get(name) ?? fail(),
        plan: 'standard' as const,
        scopes: new Set<never>(),
      })
    const arrival = (name: string) => ({ authorization: [name] }) as never
    const gate = {
      admit: ({ authorization }: { authorization: readonly string[] }) =>
        authorization[0] === 'nobody'
          ? Promise.reject(new Refusal('UNAUTHORIZED'))
          : who(authorization[0] === 'bob' ? 'bob' : 'carol'),
      admitStranger: () => undefined,
    }
    const instances = [1, 2].map(() => {
      const counts = openRequestCounts({ store, clock, log: openLog('silent') })
      return { counts, gate: counts.counted(gate) }
    })
    for (const instance of instances) {
      for (const name of ['carol', 'carol', 'bob']) await instance.gate.admit(arrival(name))
      await expect(instance.gate.admit(arrival('nobody'))).rejects.toThrow()
      await instance.counts.stop()
    }
    expect(writes).toEqual(['service', 'service'])
    const today = async () => (await read('/usage', 'carol')).days.at(-1)
    await until('they are written', async () => (await today())?.requests === 4, { seconds: 20 })
    expect(await today()).toEqual({ day: '2026-09-21', requests: 4 })
  })

  test('forgets days that are too long ago', async () => {
    await sql(
      'test_old',
      `insert into request_days values ($1, '2025-01-01', 1), ($1, '2026-09-20', 5)`,
      [accounts.alice],
    )
    await database.store.inTransaction('service', (tx) => forgetOldDays(tx, NOW))
    expect(
      await sql('test_left', `select day::text from request_days where account_id = $1`, [
        accounts.alice,
      ]),
    ).toEqual([{ day: '2026-09-20' }])
  })
})
