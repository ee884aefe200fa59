import { once } from 'node:events'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Ajv } from 'ajv'
import { endpoints } from '@florin/wire/endpoints.ts'
import { ErrorBody } from '@florin/wire/error-body.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { AfterCommit } from './after-commit.ts'
import { route } from './route.ts'
import { echoPayment, openTestServer } from './test-server.ts'
import type { Answered } from './test-server.ts'

const isErrorBody = new Ajv().compile(ErrorBody)
const GOOD = '{"walletAddress":"0xa","recipientAddress":"0xb","amount":0.10}'
const JSON_HEADERS = { 'content-type': 'application/json' }

function expectProblem(answered: Answered, status: number, code: ErrorCode): void {
  expect(answered.body).toMatchObject({ success: false, error: { code } })
  expect(isErrorBody(answered.body), JSON.stringify(answered.body)).toBe(true)
  expect(answered.status).toBe(status)
  const { error } = answered.body as { error: { requestId: string; docs: string } }
  expect(answered.headers.get('x-request-id')).toBe(error.requestId)
  expect(error.docs).toMatch(new RegExp(`^http.*/docs/errors/${code}$`))
}

/** Sends bytes as they are and gives everything that comes back until the server closes. */
async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(bytes)
  return readAll(socket)
}

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
        expectProblem(answered, 405, 'METHOD_NOT_ALLOWED')
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
      expectProblem(await server.ask('POST', path), 404, 'NOT_FOUND')
    }
    const big = await server.ask('POST', '/nothing', { body: 'x'.repeat(200_000) })
    expectProblem(big, 404, 'NOT_FOUND')
  })

  test('is asked for in this order: key, permission, body', async () => {
    const guarded = await openTestServer({
      permit: () => {
        throw new Refusal('FORBIDDEN')
      },
    })
    try {
      const bad = { authorization: 'Bearer bad' }
      expectProblem(await guarded.send('{', bad), 401, 'UNAUTHORIZED')
      expect((await guarded.send('{', bad)).headers.get('www-authenticate')).toBe('Bearer')
      expectProblem(await guarded.send('x'.repeat(200_000), bad), 401, 'UNAUTHORIZED')
      expectProblem(await guarded.send('{'), 403, 'FORBIDDEN')
      expectProblem(await guarded.send('{', { 'content-type': 'text/plain' }), 403, 'FORBIDDEN')
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
      await raw(listening.port, `${head}Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`)
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
      expectProblem(
        await server.send(GOOD, { 'content-type': type }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      )
    }
    expectProblem(
      await server.send(GOOD, { 'content-encoding': 'gzip' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
    for (const type of ['application/json;charset=UTF-8', 'Application/JSON; charset="utf-8"']) {
      expect((await server.send(GOOD, { 'content-type': type })).status).toBe(200)
    }
  })

  test('takes 64 KB and not a byte more, said or streamed', async () => {
    const padded = (size: number) => GOOD + ' '.repeat(size - GOOD.length)
    expect((await server.send(padded(limits.bodyBytesMax))).status).toBe(200)
    expectProblem(await server.send(padded(limits.bodyBytesMax + 1)), 413, 'PAYLOAD_TOO_LARGE')
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const head =
      'POST /payment/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n'
    const streamed = await raw(
      server.port,
      `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
    )
    expect(streamed).toMatch(/^HTTP\/1.1 413 /)
    expect(streamed).toContain('PAYLOAD_TOO_LARGE')
  })

  test('takes an idempotency key of 1 to 255 visible ASCII characters, once', async () => {
    for (const key of ['x', '!~', 'k'.repeat(255)]) {
      expect((await server.send(GOOD, { 'idempotency-key': key })).status).toBe(200)
    }
    for (const key of ['', 'k'.repeat(256), 'a b', 'a\tb', 'ä']) {
      const answered = await server.send(GOOD, { 'idempotency-key': key })
      expectProblem(answered, 400, 'INVALID_PARAMETERS')
      expect(answered.body).toMatchObject({
        error: { details: { 'Idempotency-Key': 'must be 1 to 255 visible ASCII characters' } },
      })
    }
    const twice = await raw(
      server.port,
      `POST /payment/send HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\nidempotency-key: a\r\nidempotency-key: a\r\ncontent-length: ${GOOD.length}\r\n\r\n${GOOD}`,
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
        expectProblem(await wallets.ask('GET', `/wallets/${part}`), 400, 'INVALID_PARAMETERS')
      }
      expectProblem(await wallets.ask('GET', '/wallets/0xa?verbose=1'), 400, 'INVALID_PARAMETERS')
      expectProblem(await wallets.ask('GET', '/wallets/0xa'), 404, 'NOT_FOUND')
    } finally {
      await wallets.close()
    }
  })
})

describe('bytes that are not a request', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400],
    ['a header without a colon', 'GET /health/live HTTP/1.1\r\nhost: x\r\nbad\r\n\r\n', 400],
    [
      'two lengths',
      'POST /payment/send HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /payment/send HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'endless headers',
      `GET /health/live HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      413,
    ],
    ['an endless path', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 413],
  ])('%s gets an error body and the end of the connection', async (_, bytes, status) => {
    const [head = '', body = ''] = (await raw(server.port, bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toContain('x-request-id: req_')
    expect(isErrorBody(JSON.parse(body))).toBe(true)
  })

  test('a request that comes too slowly is ended, in its headers and in its body', async () => {
    const hasty = await openTestServer({
      limits: { ...limits, headersArriveSeconds: 0.1, requestArrivesSeconds: 0.2 },
    })
    try {
      const head = 'POST /payment/send HTTP/1.1\r\nhost: x\r\n'
      const body = `${head}authorization: Bearer good\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
      for (const bytes of [head, body]) {
        const answered = await raw(hasty.port, bytes)
        expect(answered).toMatch(/^HTTP\/1.1 400 /)
        expect(answered).toContain('did not arrive in time')
      }
    } finally {
      await hasty.close()
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
        expectProblem(answered, status, code)
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
      expectProblem(await broken.ask('GET', '/wallets/0xa'), 500, 'INTERNAL_ERROR')
    } finally {
      await broken.close()
    }
  })
})

describe('health', () => {
  test('lives without a key and names the parts that are ready, or away', async () => {
    const parts = new Map<string, 'ok' | 'down'>([
      ['database', 'ok'],
      ['eip155:84532', 'ok'],
    ])
    const watched = await openTestServer({ readiness: async () => parts })
    const none = { headers: { authorization: '' } }
    try {
      expect(await watched.ask('GET', '/health/live', none)).toMatchObject({ status: 200 })
      expect((await watched.ask('GET', '/api/health/ready?probe=1', none)).body).toMatchObject({
        status: 'ready',
        parts: { database: 'ok', 'eip155:84532': 'ok' },
      })
      parts.set('eip155:84532', 'down')
      const away = await watched.ask('GET', '/health/ready', none)
      expectProblem(away, 503, 'NETWORK_ERROR')
      expect(away.body).toMatchObject({
        error: { details: { database: 'ok', 'eip155:84532': 'down' } },
      })
      expect(await watched.ask('GET', '/health/live', none)).toMatchObject({ status: 200 })
    } finally {
      await watched.close()
    }
  })
})

describe('a caller who goes away', () => {
  test('is noticed by the handler, and the server goes on', async () => {
    let gone: AbortSignal | undefined
    const waiting = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async ({ clientGone }) => {
          gone = clientGone
          await once(clientGone, 'abort')
          throw new Error('nobody listens')
        }),
      ],
    })
    try {
      const away = new AbortController()
      const asked = fetch(`${waiting.url}/payment/send`, {
        method: 'POST',
        body: GOOD,
        headers: { ...JSON_HEADERS, authorization: 'Bearer good' },
        signal: away.signal,
      }).catch(() => 'aborted')
      await until('the handler runs', () => gone !== undefined, { seconds: 5 })
      expect(gone?.aborted).toBe(false)
      away.abort()
      expect(await asked).toBe('aborted')
      await until('the handler is told', () => gone?.aborted, { seconds: 5 })
      expect((await waiting.ask('GET', '/health/live')).status).toBe(200)
    } finally {
      await waiting.close()
    }
  })

  test('is not thought gone when the answer was written', async () => {
    let signal: AbortSignal | undefined
    const quick = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async ({ clientGone }) => {
          signal = clientGone
          throw new Refusal('POLICY_REFUSED')
        }),
      ],
    })
    await quick.send(GOOD)
    await quick.close()
    expect(signal?.aborted).toBe(false)
  })
})

describe('stopping', () => {
  test('finishes what is in flight, tells waits to end, takes nothing new and is not ready', async () => {
    let waiting = false
    let finish = () => undefined as void
    const stopping = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async (call) => {
          waiting = true
          await once(call.closing, 'abort')
          await new Promise<void>((resolve) => (finish = resolve))
          throw new Refusal('TRANSACTION_FAILED')
        }),
      ],
    })
    const inFlight = stopping.send(GOOD)
    await until('the payment waits', () => waiting, { seconds: 5 })
    const closed = stopping.close()
    const ready = await stopping.ask('GET', '/health/ready')
    expectProblem(ready, 503, 'NETWORK_ERROR')
    expect(ready.body).toMatchObject({ error: { details: { service: 'stopping' } } })
    const refused = await stopping.send(GOOD)
    expectProblem(refused, 503, 'NETWORK_ERROR')
    expect(refused.headers.get('connection')).toBe('close')
    expect((await stopping.ask('GET', '/health/live')).status).toBe(200)
    finish()
    expectProblem(await inFlight, 422, 'TRANSACTION_FAILED')
    await closed
    await expect(stopping.ask('GET', '/health/live')).rejects.toThrow()
  })

  test('takes no longer than it may, whatever hangs', async () => {
    const stuck = await openTestServer({
      limits: { ...limits, drainSeconds: 0.1 },
      routes: [route(endpoints.sendPayment, () => new Promise(() => undefined))],
    })
    const inFlight = stuck.send(GOOD).catch(() => 'cut')
    const idle = connect(stuck.port, '127.0.0.1')
    await once(idle, 'connect')
    const ended = once(idle, 'close')
    await stuck.ask('GET', '/health/live')
    await stuck.close()
    expect(await inFlight).toBe('cut')
    await ended
  })
})

test('the echo is a route of the table', () => {
  expect(echoPayment.endpoint).toBe(endpoints.sendPayment)
})
