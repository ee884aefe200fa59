import { describe, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import type { Figures, FollowerState } from './figures.ts'
import { openMetrics } from './metrics.ts'
import { handClock } from './test-clock.ts'
import { readSamples, valueOf } from './test-read.ts'

const NETWORK = 'eip155:8453'
const NOTHING: Figures = {
  payments: [],
  lanes: [],
  builds: [],
  purchases: [],
  followers: [],
  outbox: { waiting: 0, oldestAtMilliseconds: null },
  givings: { waiting: 0, oldestAtMilliseconds: null },
  webhooks: { waiting: 0, oldestDueAtMilliseconds: null, active: 0, paused: 0 },
}

function open(
  figures: () => Promise<Figures> = async () => NOTHING,
  operations: Parameters<typeof openMetrics>[0]['operations'] = [],
) {
  const clock = handClock()
  const build = { version: '1.2.3', node: 'v26' }
  const metrics = openMetrics({ clock, build, operations, limits })
  const follower: { -readonly [Key in keyof FollowerState]: FollowerState[Key] } = {
    network: NETWORK,
    isFollowing: true,
    headHeight: 110,
    readAtMilliseconds: clock.nowMilliseconds(),
    chainAheadMilliseconds: -1_500,
  }
  const read = metrics.reader({
    figures,
    followers: () => [follower],
    pool: () => ({ total: 12, idle: 5, waiting: 3 }),
  })
  return { clock, metrics, follower, read, samples: async () => readSamples((await read()).text) }
}

const request = { route: '/payment/send', method: 'POST', status: 200, milliseconds: 20 }

describe('the text', () => {
  test('is what Prometheus reads, whatever a label holds', async () => {
    const { metrics, samples } = open()
    metrics.answered({ ...request, route: '/a"b\\c\n{d}' })
    const read = await samples()
    expect(valueOf(read, 'florin_http_requests_total', { route: '/a"b\\c\n{d}' })).toBe(1)
    expect(valueOf(read, 'florin_build_info', { version: '1.2.3', node: 'v26' })).toBe(1)
  })

  test('of a broken line, a family without a type and a repeated sample is refused by the reader itself', () => {
    const family = '# HELP a b\n# TYPE a counter\n'
    expect(readSamples(`${family}a{x="1"} 2\n`)).toEqual([
      { name: 'a', labels: { x: '1' }, value: 2 },
    ])
    for (const text of ['a 1\n', `${family}a 1`, `${family}a one\n`, `${family}a{x=1} 1\n`]) {
      expect(() => readSamples(text), text).toThrow()
    }
    for (const text of [`${family}a 1\na 2\n`, `${family}${family}a 1\n`, `${family}b 1\n`]) {
      expect(() => readSamples(text), text).toThrow()
    }
  })

  test('of one service knows nothing of another', async () => {
    const [one, other] = [open(), open()]
    one.metrics.answered(request)
    expect(valueOf(await one.samples(), 'florin_http_requests_total')).toBe(1)
    expect(valueOf(await other.samples(), 'florin_http_requests_total')).toBeUndefined()
  })
})

describe('requests', () => {
  test('are counted by route, method and code, with their time', async () => {
    const { metrics, samples } = open()
    for (let each = 0; each < 3; each += 1) metrics.answered(request)
    metrics.answered({ ...request, status: 503 })
    metrics.answered({ ...request, status: null })
    const read = await samples()
    const labels = { route: '/payment/send', method: 'POST' }
    const count = (code: string) => valueOf(read, 'florin_http_requests_total', { ...labels, code })
    expect([count('200'), count('503'), count('gone')]).toEqual([3, 1, 1])
    expect(valueOf(read, 'florin_http_request_seconds_count', labels)).toBe(5)
    expect(valueOf(read, 'florin_http_request_seconds_sum', labels)).toBeCloseTo(0.1)
    const bucket = (le: string) =>
      valueOf(read, 'florin_http_request_seconds_bucket', { ...labels, le })
    expect([bucket('0.01'), bucket('0.025'), bucket('+Inf')]).toEqual([0, 5, 5])
  })

  test('of each operation have counted no bug before the first, so that it is seen as a rise', async () => {
    const { metrics, samples } = open(undefined, [{ path: '/payment/send', method: 'POST' }])
    const bugs = async () => valueOf(await samples(), 'florin_http_requests_total', { code: '500' })
    expect(await bugs()).toBe(0)
    metrics.answered({ ...request, status: 500 })
    expect(await bugs()).toBe(1)
  })

  test('of methods that nobody knows are one series', async () => {
    const { metrics, samples } = open()
    for (let each = 0; each < 1_000; each += 1) {
      metrics.answered({ ...request, route: null, method: `M${each}`, status: 404 })
    }
    const read = await samples()
    const own = read.filter(({ name }) => name === 'florin_http_requests_total')
    expect(own.map(({ labels, value }) => [labels, value])).toEqual([
      [{ route: 'unmatched', method: 'other', code: '404' }, 1_000],
    ])
  })
})

test('calls to nodes are counted by outcome, and method names have a bound', async () => {
  const { metrics, samples } = open()
  const call = { method: 'eth_call', node: 1, end: 'result', milliseconds: 30 } as const
  metrics.nodeCalled(NETWORK, call)
  metrics.nodeCalled(NETWORK, { ...call, end: 'error' })
  metrics.nodeCalled(NETWORK, { ...call, end: 'failure' })
  const many = limits.metricsNodeMethodsMax + 100
  for (let each = 0; each < many; each += 1) {
    metrics.nodeCalled(NETWORK, { ...call, method: `m${each}` })
  }
  metrics.nodeCalled(NETWORK, call)
  const read = await samples()
  const labels = { network: NETWORK, node: '2', method: 'eth_call' }
  const count = (outcome: string) =>
    valueOf(read, 'florin_node_calls_total', { ...labels, outcome })
  expect([count('result'), count('error'), count('failure')]).toEqual([2, 1, 1])
  expect(valueOf(read, 'florin_node_call_seconds_sum', labels)).toBeCloseTo(0.12)
  const methods = new Set(
    read.flatMap(({ name, labels: { method } }) =>
      name === 'florin_node_calls_total' && method !== undefined ? [method] : [],
    ),
  )
  expect(methods.size).toBe(limits.metricsNodeMethodsMax + 1)
  expect(valueOf(read, 'florin_node_calls_total', { method: 'other' })).toBe(101)
})

test('requests to webhooks are counted by what came of them', async () => {
  const { metrics, samples } = open()
  for (const end of ['delivered', 'delivered', 'later', 'failed', 'dropped'] as const) {
    metrics.webhookSent(end, 40)
  }
  const read = await samples()
  const count = (end: string) => valueOf(read, 'florin_webhook_attempts_total', { end })
  expect(['delivered', 'later', 'failed', 'dropped'].map(count)).toEqual([2, 1, 1, 1])
  expect(valueOf(read, 'florin_webhook_attempt_seconds_sum')).toBeCloseTo(0.2)
})

describe('gauges', () => {
  const at = (secondsAgo: number) => 1_790_000_000_000 - secondsAgo * 1000
  const figures: Figures = {
    payments: [{ network: NETWORK, type: 'sent', status: 'settled', count: 1_000_000 }],
    lanes: [
      {
        ...{ network: NETWORK, open: 7, mined: 2, frozenLanes: 1, unreadDeposits: 3 },
        oldestOpenAtMilliseconds: at(90),
      },
    ],
    builds: [{ network: NETWORK, unread: 5 }],
    purchases: [{ network: NETWORK, unread: 8 }],
    followers: [{ network: NETWORK, height: 100, finalizedHeight: 90, isHalted: true }],
    outbox: { waiting: 4, oldestAtMilliseconds: at(30) },
    givings: { waiting: 6, oldestAtMilliseconds: at(40) },
    webhooks: { waiting: 9, oldestDueAtMilliseconds: at(20), active: 3, paused: 2 },
  }

  test('say what the database and this instance know', async () => {
    const { samples } = open(async () => figures)
    const read = await samples()
    const network = { network: NETWORK }
    const expected: readonly [string, Record<string, string>, number][] = [
      ['florin_payments', { ...network, type: 'sent', status: 'settled' }, 1_000_000],
      ['florin_lane_places', { ...network, state: 'open' }, 7],
      ['florin_lane_places', { ...network, state: 'mined' }, 2],
      ['florin_lane_oldest_open_seconds', network, 90],
      ['florin_lanes_frozen', network, 1],
      ['florin_deposits_set_aside', network, 3],
      ['florin_builds_unread', network, 5],
      ['florin_purchases_unread', network, 8],
      ['florin_follower_height', network, 100],
      ['florin_follower_final_height', network, 90],
      ['florin_node_head_height', network, 110],
      ['florin_follower_lag_blocks', network, 10],
      ['florin_follower_lag_seconds', network, 0],
      ['florin_chain_ahead_seconds', network, -1.5],
      ['florin_follower_halted', network, 1],
      ['florin_follower_following', network, 1],
      ['florin_outbox_rows_waiting', {}, 4],
      ['florin_outbox_oldest_seconds', {}, 30],
      ['florin_webhook_events_waiting', {}, 6],
      ['florin_webhook_events_oldest_seconds', {}, 40],
      ['florin_webhooks', { status: 'active' }, 3],
      ['florin_webhooks', { status: 'paused' }, 2],
      ['florin_webhook_deliveries_waiting', {}, 9],
      ['florin_webhook_oldest_due_seconds', {}, 20],
      ['florin_database_connections', { state: 'busy' }, 7],
      ['florin_database_connections', { state: 'idle' }, 5],
      ['florin_database_waiting', {}, 3],
      ['florin_database_up', {}, 1],
    ]
    for (const [name, labels, value] of expected) {
      expect([name, valueOf(read, name, labels)]).toEqual([name, value])
    }
  })

  test('of a follower that stands still grow, and a head seen later does not count against figures of before', async () => {
    const { clock, follower, samples } = open(async () => figures)
    await samples()
    follower.isFollowing = false
    follower.headHeight = 115
    await clock.pass(4_000)
    const soon = await samples()
    expect(valueOf(soon, 'florin_follower_lag_seconds')).toBe(4)
    expect(valueOf(soon, 'florin_follower_following')).toBe(0)
    expect(valueOf(soon, 'florin_follower_lag_blocks')).toBe(10)
    await clock.pass(8_000)
    const later = await samples()
    expect(valueOf(later, 'florin_follower_lag_seconds')).toBe(12)
    expect(valueOf(later, 'florin_follower_lag_blocks')).toBe(15)
  })

  test('of a follower that never did a round count from the start', async () => {
    const { clock, follower, samples } = open()
    follower.readAtMilliseconds = null
    follower.headHeight = null
    follower.chainAheadMilliseconds = null
    await clock.pass(9_000)
    const read = await samples()
    expect(valueOf(read, 'florin_follower_lag_seconds')).toBe(9)
    expect(valueOf(read, 'florin_node_head_height')).toBeUndefined()
    expect(valueOf(read, 'florin_chain_ahead_seconds')).toBeUndefined()
  })

  test('that only the database knows are not there while it is away: an old value would be a guess', async () => {
    let away = false
    const { clock, samples } = open(async () => {
      if (away) throw new Error('away')
      return figures
    })
    await samples()
    away = true
    await clock.pass(limits.metricsLifetimeMilliseconds)
    const read = await samples()
    expect(valueOf(read, 'florin_database_up')).toBe(0)
    expect(valueOf(read, 'florin_database_waiting')).toBe(3)
    expect(valueOf(read, 'florin_follower_lag_seconds')).toBe(5)
    const names = new Set(read.map(({ name }) => name))
    for (const name of [
      'florin_payments',
      'florin_lane_places',
      'florin_lanes_frozen',
      'florin_deposits_set_aside',
      'florin_builds_unread',
      'florin_purchases_unread',
      'florin_follower_height',
      'florin_follower_lag_blocks',
      'florin_outbox_rows_waiting',
      'florin_outbox_oldest_seconds',
    ]) {
      expect([name, names.has(name)]).toEqual([name, false])
    }
  })
})
