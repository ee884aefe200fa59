import { readSamples, valueOf } from '@florin/server/metrics/test-read.ts'
import type { Sample } from '@florin/server/metrics/test-read.ts'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { CANARY_KEY_TEXT } from './actors/service.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const NETWORK = 'eip155:84532'
const HOSTILE_PATHS = 40

describe('what an operator sees', () => {
  let world: World
  let sent: Reply
  beforeAll(async () => {
    world = await openWorld({ logLevel: 'info' })
    sent = await world.client().post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: '0.01',
      waitFor: 'settled',
      timeout: 30,
    })
  })
  afterAll(() => world.stop())

  const text = async (): Promise<string> => {
    const answer = await fetch(world.service().metricsUrl)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    return answer.text()
  }
  const samples = async () => readSamples(await text())

  test('a payment is counted once, everywhere', async () => {
    expect(sent.body['status']).toBe('settled')
    const read = await samples()
    const value = (name: string, labels = {}) => valueOf(read, name, labels)
    const send = { route: '/payment/send', method: 'POST' }
    expect(value('florin_http_requests_total', { ...send, code: '200' })).toBe(1)
    expect(value('florin_http_request_seconds_count', send)).toBe(1)
    const node = { network: NETWORK, node: '1' }
    const raw = { ...node, method: 'eth_sendRawTransaction' }
    expect(value('florin_node_calls_total', { ...raw, outcome: 'result' })).toBe(1)
    expect(value('florin_node_call_seconds_count', raw)).toBe(1)
    const payment = { network: NETWORK, type: 'sent' }
    expect(value('florin_payments', { ...payment, status: 'settled' })).toBe(1)
    expect(value('florin_payments', { ...payment, status: 'pending' })).toBe(0)
    expect(value('florin_lane_places', { network: NETWORK, state: 'open' })).toBe(0)
    expect(value('florin_lane_oldest_open_seconds', { network: NETWORK })).toBe(0)
    expect(value('florin_follower_halted', { network: NETWORK })).toBe(0)
    expect(value('florin_database_up')).toBe(1)
    // What is settled in this reading may have its event numbered only in the next.
    expect(value('florin_outbox_rows_waiting')).toBeLessThanOrEqual(1)
    expect(value('florin_build_info')).toBe(1)
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(0)
  })

  test('an answer leads to the transaction and back, in the record and in the log', async () => {
    const requestId = sent.headers.get('x-request-id')
    const { signature, paymentId } = sent.body
    const record = await world.client().get(`/payment/status/${String(paymentId)}`)
    expect(record.body['attempts']).toMatchObject([{ number: 1, signature, requestId }])
    const lines = world
      .service()
      .log.map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['requestId'] === requestId)
    expect(lines.map(({ msg }) => msg).toSorted()).toEqual(['answered', 'broadcast', 'mined'])
    for (const line of lines) {
      if (line['msg'] === 'answered') {
        expect(line).toMatchObject({ route: '/payment/send', method: 'POST', status: 200 })
        expect(line).toMatchObject({ accountId: world.service().accountId })
      } else expect(line).toMatchObject({ hash: signature, paymentId, network: NETWORK })
    }
  })

  test('strangers cannot make labels: hostile paths and methods are a handful of series', async () => {
    const { baseUrl, apiKeys } = world.service()
    const before = seriesOf(await samples())
    for (let each = 0; each < HOSTILE_PATHS; each += 1) {
      await fetch(`${baseUrl}/${apiKeys.standard}/"}\n${each}%0a?key=${apiKeys.premium}`)
      await fetch(`${baseUrl}/payment/status/pay_${each}`, { method: 'PROPFIND' })
      await world.client().get(`/payment/status/${apiKeys.premium}${each}`)
    }
    const after = await samples()
    const fresh = [...seriesOf(after)].filter((series) => !before.has(series))
    const requests = fresh.filter((series) => series.startsWith('florin_http_requests_total'))
    expect(requests.toSorted()).toEqual([
      'florin_http_requests_total {"route":"/payment/status/{paymentId}","method":"GET","code":"404"}',
      'florin_http_requests_total {"route":"unmatched","method":"GET","code":"404"}',
      'florin_http_requests_total {"route":"unmatched","method":"other","code":"405"}',
    ])
    expect(fresh.length).toBeLessThan(60)
  })

  test('no secret, address or id is in it, and it needs a key at the public door', async () => {
    const { baseUrl, apiKeys, wallets } = world.service()
    const secrets = [
      ...Object.values(apiKeys),
      CANARY_KEY_TEXT,
      new URL(world.sandbox.rpcUrl).host,
      ...wallets.map(({ address }) => address),
      String(sent.body['paymentId']),
      world.service().accountId,
    ]
    const at = (key: string) =>
      fetch(`${baseUrl}/metrics`, key === '' ? {} : { headers: { authorization: `Bearer ${key}` } })
    const answer = await at(apiKeys.standard)
    expect(answer.status).toBe(200)
    for (const body of [await answer.text(), await text()]) {
      readSamples(body)
      for (const secret of secrets) expect(body.includes(secret)).toBe(false)
    }
    expect((await at('')).status).toBe(401)
    const door = new URL(world.service().metricsUrl)
    expect((await fetch(new URL('/', door))).status).toBe(404)
    expect((await fetch(door, { method: 'POST', body: 'x' })).status).toBe(405)
    expect((await openClient(baseUrl, apiKeys.premium).get('/metricsx')).status).toBe(404)
  })

  test('a node that is away shows: the lag grows, calls fail, and the log says it when it changes', async () => {
    const lag = async () => {
      const read = await samples()
      return {
        seconds: valueOf(read, 'florin_follower_lag_seconds', { network: NETWORK }) ?? 0,
        isFollowing: valueOf(read, 'florin_follower_following', { network: NETWORK }) === 1,
        failures: read
          .filter(({ labels }) => labels['outcome'] === 'failure')
          .reduce((sum, { value }) => sum + value, 0),
      }
    }
    const ready = () => world.client().get('/health/ready')
    expect(await lag()).toMatchObject({ isFollowing: true })
    await world.sandbox.fault({ kind: 'down', how: 'connection-reset' })
    try {
      const first = await until(
        'nobody follows',
        async () => {
          const now = await lag()
          return now.isFollowing ? undefined : now
        },
        { seconds: 30 },
      )
      await until('the lag has grown', async () => (await lag()).seconds > first.seconds + 0.5, {
        seconds: 30,
      })
      expect((await lag()).failures).toBeGreaterThan(0)
      for (let each = 0; each < 5; each += 1) expect((await ready()).status).toBe(503)
    } finally {
      await world.sandbox.clearFaults()
    }
    await until('it follows again', async () => (await lag()).isFollowing, { seconds: 60 })
    await until('it is ready again', async () => (await ready()).status === 200, { seconds: 30 })
    expect((await lag()).seconds).toBeLessThan(5)
    const probes = world.service().log.filter((line) => line.includes('a probe was told'))
    expect(probes).toHaveLength(2)
    expect(world.service().log.join('\n')).not.toContain('could not be served')
  })
})

const seriesOf = (read: readonly Sample[]): ReadonlySet<string> =>
  new Set(read.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`))
