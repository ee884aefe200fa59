import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { openDrain } from './drain.ts'
import { route } from './route.ts'
import { assertProblem, isErrorBody, openTestServer, rawAnswer } from './test-server.ts'

const GOOD = '{"walletAddress":"0xa","recipientAddress":"0xb","amount":0.10}'
const JSON_HEADERS = { 'content-type': 'application/json' }

let server: Awaited<ReturnType<typeof openTestServer>>
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

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
    const [head = '', body = ''] = (await rawAnswer(server.port, bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toContain('x-request-id: req_')
    expect(isErrorBody(JSON.parse(body))).toBe(true)
  })

  test.each([
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n', 'Host'],
    ['no Host, anywhere', 'GET /nothing HTTP/1.1\r\n\r\n', 'Host'],
    [
      'no Host, for another protocol',
      'GET /api/data HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      'Host',
    ],
    [
      'an expectation that nobody knows',
      'POST /payment/send HTTP/1.1\r\nhost: x\r\nexpect: foo\r\ncontent-length: 2\r\n\r\n{}',
      'Expect',
    ],
    [
      'a body that is packed on its way',
      'POST /payment/send HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      'Transfer-Encoding',
    ],
  ])('a request with %s is told so in an error body', async (_, bytes, field) => {
    const raw = bytes.replace(/\r\n\r\n/, '\r\nconnection: close\r\n\r\n')
    const [head = '', body = ''] = (await rawAnswer(server.port, raw)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 400 /)
    const told: unknown = JSON.parse(body)
    expect(isErrorBody(told)).toBe(true)
    expect(told).toHaveProperty(['error', 'details', field])
  })

  test('HTTP/1.0 needs no Host, and the expectation that everybody knows is met', async () => {
    expect(await rawAnswer(server.port, 'GET /health/live HTTP/1.0\r\n\r\n')).toMatch(
      /^HTTP\/1.1 200 /,
    )
    const head = 'POST /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n'
    const expecting = `${head}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`
    expect(await rawAnswer(server.port, expecting)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 404 /,
    )
  })

  test('a request that comes too slowly is ended, in its headers and in its body, as one to be sent again', async () => {
    const hasty = await openTestServer({
      limits: { ...limits, headersArriveSeconds: 0.1, requestArrivesSeconds: 0.2 },
    })
    try {
      const head = 'POST /payment/send HTTP/1.1\r\nhost: x\r\n'
      const body = `${head}authorization: Bearer good\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
      for (const bytes of [head, body]) {
        const answered = await rawAnswer(hasty.port, bytes)
        // Perhaps it was this service that stood still: nobody is to give up for that.
        expect(answered).toMatch(/^HTTP\/1.1 503 /)
        expect(answered.toLowerCase()).toContain('retry-after: 1')
        expect(answered).toContain('did not arrive in time')
      }
    } finally {
      await hasty.close()
    }
  })
})

describe('a caller who goes away', () => {
  test('is noticed by the handler, and the server goes on', async () => {
    let gone: AbortSignal | undefined
    let over: AbortSignal | undefined
    const waiting = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async (call) => {
          gone = call.clientGone
          over = call.over
          await once(gone, 'abort')
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
      await until('the handler runs', () => gone !== undefined, { seconds: 30 })
      expect([gone, over].map((signal) => signal?.aborted)).toEqual([false, false])
      away.abort()
      expect(await asked).toBe('aborted')
      await until('the handler is told', () => gone?.aborted && over?.aborted, { seconds: 30 })
      expect((await waiting.ask('GET', '/health/live')).status).toBe(200)
    } finally {
      await waiting.close()
    }
  })

  test('is gone for whoever asks only then, and nothing is kept of that', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    const drain = openDrain(systemClock)
    const before = drain.over(response)
    response.destroy()
    await once(response, 'close')
    const late = drain.over(response)
    expect([before, late].map(({ aborted }) => aborted)).toEqual([true, true])
    expect(response.listenerCount('close')).toBe(0)
  })

  test('is not thought gone when the answer was written', async () => {
    let signals: readonly AbortSignal[] = []
    const quick = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async ({ clientGone, over }) => {
          signals = [clientGone, over]
          throw new Refusal('POLICY_REFUSED')
        }),
      ],
    })
    await quick.send(GOOD)
    await quick.close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })
})

describe('stopping', () => {
  test('finishes what is in flight, tells waits to end, takes nothing new and is not ready', async () => {
    let waiting = false
    let late: readonly boolean[] = []
    let finish = () => undefined as void
    const stopping = await openTestServer({
      routes: [
        route(endpoints.sendPayment, async (call) => {
          waiting = true
          await once(call.over, 'abort')
          late = [call.clientGone, call.over].map(({ aborted }) => aborted)
          await new Promise<void>((resolve) => (finish = resolve))
          throw new Refusal('TRANSACTION_FAILED')
        }),
      ],
    })
    const inFlight = stopping.send(GOOD)
    await until('the payment waits', () => waiting, { seconds: 30 })
    let over = false
    const closed = stopping.close().then(() => {
      over = true
    })
    const ready = await stopping.ask('GET', '/health/ready')
    assertProblem(ready, 'NETWORK_ERROR')
    expect(ready.body).toMatchObject({ error: { details: { service: 'stopping' } } })
    const refused = await stopping.send(GOOD)
    assertProblem(refused, 'NETWORK_ERROR')
    expect(refused.headers.get('connection')).toBe('close')
    expect((await stopping.ask('GET', '/health/live')).status).toBe(200)
    // Whoever asks only now is told at once.
    expect(late).toEqual([false, true])
    finish()
    assertProblem(await inFlight, 'TRANSACTION_FAILED')
    await until('it stopped long before it had to', () => over, {
      seconds: limits.drainSeconds / 2,
    })
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
