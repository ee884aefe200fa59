import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { AfterCommit } from './after-commit.ts'
import { route } from './route.ts'
import { assertProblem, openTestServer, rawAnswer } from './test-server.ts'

const GOOD = '{"walletAddress":"0xa","recipientAddress":"0xb","amount":0.10}'
const JSON_HEADERS = { 'content-type': 'application/json' }

let server: Awaited<ReturnType<typeof openTestServer>>
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

describe('every operation', () => {
  test('is served bare and under /api, with metadata and amount as they were sent', async () => {
    for (const path of ['/payment/send', '/api/payment/send']) {
      const sent = await fetch(server.url + path, {
        method: 'POST',
        headers: { ...JSON_HEADERS, authorization: 'Bearer good' },
        body: `{"walletAddress":"0xa","recipientAddress":"0xb","amount":"0.10","metadata":{ "b":1.0 }}`,
      })
      const text = await sent.text()
      expect(text).toContain('"amount":0.10,')
      expect(text).toContain('"metadata":{ "b":1.0 },')
      expect(sent.status).toBe(200)
    }
  })

  test('answers with its request id, unsniffed, unstored and without CORS, good or bad', async () => {
    const answers = [
      await server.send(GOOD),
      await server.send('{'),
      await server.ask('GET', '/nothing'),
      await server.ask('GET', '/wallets/%zz'),
      await server.ask('OPTIONS', '/payment/send', { headers: { origin: 'https://evil.example' } }),
      await server.ask('GET', '/health/live'),
    ]
    const ids = new Set<string | null>()
    for (const { headers } of answers) {
      ids.add(headers.get('x-request-id'))
      expect(headers.get('x-request-id')).toMatch(/^req_[1-9A-HJ-NP-Za-km-z]{22}$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect(ids.size).toBe(answers.length)
  })

  test('is looked for by method: 405 with Allow on a known path, 404 elsewhere', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      for (const path of ['/payment/send', '/api/payment/send?x=1']) {
        const answered = await server.ask(method, path)
        assertProblem(answered, 'METHOD_NOT_ALLOWED')
        expect(answered.headers.get('allow')).toBe('POST')
      }
    }
    expect((await server.ask('POST', '/health/live')).headers.get('allow')).toBe('GET, HEAD')
    for (const path of [
      '/',
      '/api',
      '/payment/send/',
      '/Payment/send',
      '/api/api/payment/send',
      '//payment/send',
    ]) {
      const answered = await server.ask('POST', path)
      assertProblem(answered, 'NOT_FOUND')
      // Not as of an id that nobody has: who reads it has the address wrong.
      expect(answered.body).toMatchObject({
        error: { message: expect.stringMatching(/no endpoint.*\/openapi\.json/) },
      })
    }
    const big = await server.ask('POST', '/nothing', { body: 'x'.repeat(200_000) })
    assertProblem(big, 'NOT_FOUND')
  })

  test('is asked for in this order: key, permission, body', async () => {
    const guarded = await openTestServer({
      permit: () => {
        throw new Refusal('FORBIDDEN')
      },
    })
    try {
      const bad = { authorization: 'Bearer bad' }
      assertProblem(await guarded.send('{', bad), 'UNAUTHORIZED')
      expect((await guarded.send('{', bad)).headers.get('www-authenticate')).toBe('Bearer')
      assertProblem(await guarded.send('x'.repeat(200_000), bad), 'UNAUTHORIZED')
      assertProblem(await guarded.send('{'), 'FORBIDDEN')
      assertProblem(await guarded.send('{', { 'content-type': 'text/plain' }), 'FORBIDDEN')
    } finally {
      await guarded.close()
    }
  })

  test('sees both of two Authorization headers', async () => {
    const seen: (readonly string[])[] = []
    const listening = await openTestServer({
      authenticate: (values) => {
        seen.push(values)
        throw new Refusal('UNAUTHORIZED')
      },
    })
    try {
      const head =
        'POST /payment/send HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n'
      await rawAnswer(
        listening.port,
        `${head}Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`,
      )
      expect(seen).toEqual([['Bearer a', 'Bearer b']])
    } finally {
      await listening.close()
    }
  })

  test('takes a body of JSON in UTF-8 only', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'x',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      const answered = await server.send(GOOD, { 'content-type': type })
      assertProblem(answered, 'UNSUPPORTED_MEDIA_TYPE')
      expect(answered.body).toHaveProperty('error.details.Content-Type')
    }
    const packed = await server.send(GOOD, { 'content-encoding': 'gzip' })
    assertProblem(packed, 'UNSUPPORTED_MEDIA_TYPE')
    expect(packed.body).toHaveProperty('error.details.Content-Encoding')
    for (const type of ['application/json;charset=UTF-8', 'Application/JSON; charset="utf-8"']) {
      expect((await server.send(GOOD, { 'content-type': type })).status).toBe(200)
    }
  })

  test('takes 64 KB and not a byte more, said or streamed', async () => {
    const padded = (size: number) => GOOD + ' '.repeat(size - GOOD.length)
    expect((await server.send(padded(limits.bodyBytesMax))).status).toBe(200)
    assertProblem(await server.send(padded(limits.bodyBytesMax + 1)), 'PAYLOAD_TOO_LARGE')
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const head =
      'POST /payment/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n'
    const streamed = await rawAnswer(
      server.port,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
    )
    expect(streamed).toMatch(/^HTTP\/1.1 413 /)
    expect(streamed).toContain('PAYLOAD_TOO_LARGE')
  })

  test('takes twice as many bytes and values where a body may be long', async () => {
    const settled = { success: true, transaction: '', network: '' }
    const long = await openTestServer({
      routes: [route(endpoints.x402Settle, async () => ({ body: settled }))],
    })
    const bodyOf = (values: number, bytes = 0) =>
      JSON.stringify({ paymentPayload: Array(values).fill(1), paymentRequirements: {} }).padEnd(
        bytes,
      )
    const send = async (body: string) =>
      await long.ask('POST', '/x402/settle', {
        ...{ body, headers: { 'content-type': 'application/json', authorization: 'Bearer good' } },
      })
    const { longBodyBytesMax, longJsonNodesMax } = limits
    try {
      // The object, the list and the empty object are values, too.
      expect((await send(bodyOf(longJsonNodesMax - 3, longBodyBytesMax))).status).toBe(200)
      assertProblem(await send(bodyOf(longJsonNodesMax - 2)), 'INVALID_PARAMETERS')
      assertProblem(await send(bodyOf(1, longBodyBytesMax + 1)), 'PAYLOAD_TOO_LARGE')
    } finally {
      await long.close()
    }
  })

  test('takes an idempotency key of 1 to 255 visible ASCII characters, once', async () => {
    for (const key of ['x', '!~', 'k'.repeat(255)]) {
      expect((await server.send(GOOD, { 'idempotency-key': key })).status).toBe(200)
    }
    for (const key of ['', 'k'.repeat(256), 'a b', 'a\tb', 'ä']) {
      const answered = await server.send(GOOD, { 'idempotency-key': key })
      assertProblem(answered, 'INVALID_PARAMETERS')
      expect(answered.body).toMatchObject({
        error: { details: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters' } },
      })
    }
    const twice = await rawAnswer(
      server.port,
      [
        'POST /payment/send HTTP/1.1',
        'host: x',
        'connection: close',
        'authorization: Bearer good',
        'content-type: application/json',
        'idempotency-key: a',
        'Idempotency-Key: a',
        `content-length: ${GOOD.length}`,
        '',
        GOOD,
      ].join('\r\n'),
    )
    expect(twice).toMatch(/^HTTP\/1.1 400 /)
    expect(twice).toContain('is given twice')
  })

  test('refuses a path that is no percent-encoding, has a NUL or an endless part', async () => {
    const wallets = await openTestServer({
      routes: [route(endpoints.getWallet, () => Promise.reject(new Refusal('NOT_FOUND')))],
    })
    try {
      for (const part of ['%', '%zz', '%c3', '%00', '%ed%a0%80', 'a'.repeat(300)]) {
        assertProblem(await wallets.ask('GET', `/wallets/${part}`), 'INVALID_PARAMETERS')
      }
      assertProblem(await wallets.ask('GET', '/wallets/0xa?verbose=1'), 'INVALID_PARAMETERS')
      assertProblem(await wallets.ask('GET', '/wallets/0xa'), 'NOT_FOUND')
    } finally {
      await wallets.close()
    }
  })
})

describe('a handler that fails', () => {
  class NodeAway extends Error {}
  const SECRET = 'postgres://florin:hunter2@db/florin'
  const failing = (error: unknown) =>
    openTestServer({
      routes: [route(endpoints.sendPayment, () => Promise.reject(error))],
      isUnavailable: (thrown) => thrown instanceof NodeAway,
    })

  test.each<[string, unknown, number, ErrorCode]>([
    ['a bug', new TypeError(SECRET, { cause: new Error(SECRET) }), 500, 'INTERNAL_ERROR'],
    ['something that is no error', SECRET, 500, 'INTERNAL_ERROR'],
    ['nothing', undefined, 500, 'INTERNAL_ERROR'],
    [
      'an error with a status of its own',
      Object.assign(new Error(SECRET), { statusCode: 418 }),
      500,
      'INTERNAL_ERROR',
    ],
    ['a node that is away', new NodeAway(SECRET), 503, 'NETWORK_ERROR'],
    [
      'a refusal',
      new Refusal('POLICY_REFUSED', { cause: new Error(SECRET) }),
      400,
      'POLICY_REFUSED',
    ],
    ['a payment that failed', new Refusal('TRANSACTION_FAILED'), 422, 'TRANSACTION_FAILED'],
    [
      'a failure after the commit',
      new AfterCommit('pay_1', new NodeAway(SECRET)),
      500,
      'INTERNAL_ERROR',
    ],
  ])(
    '%s is told as the catalogue says, and nothing of its inside',
    async (_, error, status, code) => {
      const broken = await failing(error)
      try {
        const answered = await broken.send(GOOD)
        assertProblem(answered, code)
        expect(answered.status).toBe(status)
        expect(JSON.stringify(answered.body)).not.toContain('hunter2')
        expect(answered.headers.has('retry-after')).toBe(status === 503)
      } finally {
        await broken.close()
      }
    },
  )

  test('after the commit names the payment', async () => {
    const broken = await failing(new AfterCommit('pay_1', new Error(SECRET)))
    try {
      const { body } = await broken.send(GOOD)
      expect(body).toMatchObject({ error: { details: { paymentId: 'pay_1' } } })
    } finally {
      await broken.close()
    }
  })

  test('by an answer that is not its row is found out', async () => {
    const wrong = { status: 'dead' } as never
    const broken = await openTestServer({
      routes: [route(endpoints.getWallet, async () => ({ body: wrong }))],
    })
    try {
      assertProblem(await broken.ask('GET', '/wallets/0xa'), 'INTERNAL_ERROR')
    } finally {
      await broken.close()
    }
  })
})

describe('health', () => {
  test('looks once for all probes that ask while it looks', async () => {
    let looks = 0
    const answered = Promise.withResolvers<ReadonlyMap<string, 'ok' | 'down'>>()
    const readiness = () => {
      looks += 1
      return answered.promise
    }
    const watched = await openTestServer({ readiness })
    const none = { headers: { authorization: '' } }
    try {
      const asked = Array.from({ length: 20 }, () => watched.ask('GET', '/health/ready', none))
      await until('somebody looks', () => looks > 0, { seconds: 30 })
      expect(await watched.ask('GET', '/health/live', none)).toMatchObject({ status: 200 })
      answered.resolve(new Map([['database', 'ok']]))
      for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
      expect(looks).toBeLessThan(20)
    } finally {
      await watched.close()
    }
  })

  test('lives without a key and names the parts that are ready, or away', async () => {
    const parts = new Map<string, 'ok' | 'down'>([
      ['database', 'ok'],
      ['eip155:84532', 'ok'],
    ])
    const nodes = { 'eip155:84532': [{ node: 1, host: '*.node.test', state: 'aside' as const }] }
    const nodesInUse = () => nodes
    const watched = await openTestServer({ readiness: async () => parts, nodesInUse })
    const none = { headers: { authorization: '' } }
    try {
      expect(await watched.ask('GET', '/health/live', none)).toMatchObject({ status: 200 })
      expect((await watched.ask('GET', '/api/health/ready?probe=1', none)).body).toMatchObject({
        status: 'ready',
        parts: { database: 'ok', 'eip155:84532': 'ok' },
        nodes,
      })
      parts.set('eip155:84532', 'down')
      const away = await watched.ask('GET', '/health/ready', none)
      assertProblem(away, 'NETWORK_ERROR')
      expect(away.body).toMatchObject({
        error: { details: { database: 'ok', 'eip155:84532': 'down', nodes } },
      })
      expect(await watched.ask('GET', '/health/live', none)).toMatchObject({ status: 200 })
    } finally {
      await watched.close()
    }
  })
})
