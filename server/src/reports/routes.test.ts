import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { HOUR, NETWORK, NOW, openTestReports, USDC } from './test-reports.ts'
import type { TestReports } from './test-reports.ts'

const MINUTE = 60_000

let reports: TestReports
beforeAll(async () => {
  reports = await openTestReports()
})
afterAll(() => reports.close())

describe('the overview', () => {
  test('sums up what became of the payments of the account alone, in exact amounts', async () => {
    await reports.pay(reports.accounts.alice, { took: 900, amount: 2_500_000n })
    await reports.pay(reports.accounts.alice, { took: 1100, ago: HOUR, status: 'confirmed' })
    await reports.pay(reports.accounts.alice, {
      took: 5000,
      ago: 23 * HOUR,
      type: 'received',
      amount: 7n,
    })
    await reports.pay(reports.accounts.alice, {
      took: 1,
      ago: HOUR,
      type: 'received',
      asset: 'native',
    })
    await reports.pay(reports.accounts.alice, { status: 'failed', ago: HOUR, amount: 999n })
    await reports.pay(reports.accounts.alice, { status: 'expired', ago: HOUR })
    // Not in the day: it was created before.
    await reports.pay(reports.accounts.alice, { ago: 25 * HOUR })
    await reports.pay(reports.accounts.bob, { amount: 77_000_000n })
    const { totals, buckets, from, to, period } = await reports.read('/overview')
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
    reports.time.now += HOUR
    const wallet = newId(random, 'wal')
    await reports.sql(
      'test_wallet_of_deposit',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', 'a deposit', '', '')`,
      [wallet, reports.accounts.alice],
    )
    const deposit = { type: 'received', occurrence: 0, wallet, took: HOUR / 2 }
    await reports.pay(reports.accounts.alice, { ...deposit, ago: HOUR, asset: 'native' })
    const month = await reports.read('/overview?period=month')
    expect(month.buckets).toHaveLength(30)
    expect(month.totals).toMatchObject({ payments: 8 })
    expect(month.totals.latency.p95).toBeLessThan(6_000)
    expect(month.buckets.at(-2)).toMatchObject({ from: Date.UTC(2026, 8, 20), payments: 2 })
    expect((await reports.read('/overview', 'carol')).totals).toMatchObject({
      payments: 0,
      successRate: null,
      latency: null,
      volume: [],
    })
  })

  test('reads a day again after a few seconds, and not before', async () => {
    const before = await reports.read('/overview', 'bob')
    await reports.pay(reports.accounts.bob)
    expect(await reports.read('/overview', 'bob')).toMatchObject({ asOf: before['asOf'] })
    reports.time.now += 5_000
    expect((await reports.read('/overview', 'bob')).totals).toMatchObject({ payments: 2 })
  })

  test('of an hour has 60 minutes, the last of which is running', async () => {
    const pay = (minutesAgo: number, fields: object = {}) =>
      reports.pay(reports.accounts.carol, {
        ago: NOW - reports.time.now + minutesAgo * MINUTE,
        ...fields,
      })
    await pay(59)
    await pay(3, { status: 'failed' })
    // Not in the hour: it was created in the minute before it.
    await pay(60)
    const hour = await reports.read('/overview?period=hour', 'carol')
    expect(hour).toMatchObject({
      period: 'hour',
      from: Date.UTC(2026, 8, 21, 10, 21),
      to: Date.UTC(2026, 8, 21, 11, 21),
      totals: { payments: 2, succeeded: 1, failed: 1 },
    })
    expect(hour.buckets).toHaveLength(60)
    expect(hour.buckets[0]).toMatchObject({ payments: 1, succeeded: 1 })
    expect(hour.buckets[56]).toMatchObject({ payments: 1, failed: 1 })
  })
})

describe('attention', () => {
  const again = async (as: keyof typeof reports.accounts) =>
    (await reports.read('/overview', as)).attention
  const attention = (as: keyof typeof reports.accounts) => {
    reports.time.now += limits.attentionSeconds * 1000
    return again(as)
  }

  test('is empty when all is well', async () => {
    expect(await attention('alice')).toEqual([])
  })

  test('names a network that is halted, or that nobody follows', async () => {
    reports.chainState.followed = false
    // It asks nodes, so it is not read for everybody who looks.
    expect(await again('alice')).toEqual([])
    expect(await attention('alice')).toEqual([
      { kind: 'network_failing', network: NETWORK, reason: 'not_followed' },
    ])
    await reports.sql('test_halt', `update followers set halted_reason = 'a reorg'`)
    expect(await attention('alice')).toMatchObject([{ reason: 'halted' }])
    await reports.sql('test_release', `update followers set halted_reason = null`)
    reports.chainState.followed = true
  })

  test('names payments that wait for more than a minute, a paused webhook, a low wallet and a spent budget', async () => {
    const wallet = newId(random, 'wal')
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    await reports.sql(
      'test_wallet',
      `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
       values ($1, $2, 'evm', $3, '', '')`,
      [wallet, reports.accounts.bob, address],
    )
    const oldest = await reports.pay(reports.accounts.bob, {
      status: 'pending',
      ago: 4 * HOUR,
      wallet,
    })
    await reports.pay(reports.accounts.bob, { status: 'pending', ago: 3 * HOUR, wallet })
    await reports.pay(reports.accounts.bob, {
      status: 'pending',
      ago: -reports.time.now + NOW + 30_000,
      wallet,
    })
    const hook = newId(random, 'whk')
    await reports.sql(
      'test_hook',
      `insert into webhooks (id, account_id, url, types, enabled, sealed_secret, created_at, updated_at, paused_at, pause_reason)
       values ($1, $2, 'https://shop.example/', '{}', true, '', $3, $3, $3, 'gone')`,
      [hook, reports.accounts.bob, new Date(NOW)],
    )
    await reports.sql(
      'test_books',
      `insert into ledger_accounts (account_id, wallet_id, network, asset, kind, balance)
       values ($1, $2, $3, 'native', 'available', 3)`,
      [reports.accounts.bob, wallet, NETWORK],
    )
    await reports.sql(
      'test_rules',
      `insert into wallet_policies (wallet_id, account_id, rules) values ($1, $2, $3)`,
      [
        wallet,
        reports.accounts.bob,
        JSON.stringify({
          limits: [
            { network: NETWORK, asset: USDC, decimals: 6, perHour: '1000', perDay: '100000' },
          ],
          recipients: null,
          resources: null,
        }),
      ],
    )
    await reports.sql(
      'test_spend',
      `insert into policy_spends (payment_id, wallet_id, account_id, network, asset, amount, reserved_at)
       values ($1, $2, $3, $4, $5, 950, $6)`,
      [oldest, wallet, reports.accounts.bob, NETWORK, USDC, new Date(reports.time.now)],
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
        allowed: 0.001,
        left: 0.00005,
      },
    ])
    // Money arrived that the books have not heard of.
    reports.chainState.onChain = 5_000n
    const kinds = (await attention('bob')).map(({ kind }) => kind)
    expect(kinds).not.toContain('wallet_low')
    expect(await attention('alice')).toEqual([])
  })
})
