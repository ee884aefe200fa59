import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import type { Answered } from './answered.ts'
import { route } from './route.ts'
import { openTestServer, rawAnswer } from './test-server.ts'

const PATH = '/payment/status/pay_1?key=canary-query'

describe('a request that is over', () => {
  let lines: string[] = []
  let answered: Answered[] = []
  let state: 'ok' | 'down' = 'ok'
  let server: Awaited<ReturnType<typeof openTestServer>>
  const held = Promise.withResolvers<never>()
  held.promise.catch(() => undefined)
  beforeAll(async () => {
    server = await openTestServer({
      log: openLog('info', { write: (line) => void lines.push(line) }),
      onAnswered: (each) => answered.push(each),
      readiness: async () => new Map([['database', state]]),
      isUnavailable: (error) => error instanceof RangeError,
      routes: [
        route(endpoints.paymentStatus, async ({ params }) => {
          if (params.paymentId === 'pay_bug') throw new Error('canary-bug')
          if (params.paymentId === 'pay_away') throw new RangeError('a node is away')
          if (params.paymentId === 'pay_held') return await held.promise
          throw new Refusal('NOT_FOUND')
        }),
      ],
    })
  })
  afterAll(() => server.close())

  /** What was noted of requests that are over when `count` of them are. */
  async function noted(count: number, work: () => Promise<unknown>) {
    lines = []
    answered = []
    await work()
    await until('all are over', () => answered.length >= count, { seconds: 30 })
    return {
      answered,
      records: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
      text: lines.join(''),
    }
  }

  test('is one line at info: who, which operation, what came of it, and never the path itself', async () => {
    const { records, text } = await noted(1, () => server.ask('GET', PATH))
    expect(records).toMatchObject([
      {
        level: 'info',
        msg: 'answered',
        requestId: expect.stringMatching(/^req_/) as string,
        accountId: expect.stringMatching(/^acct_/) as string,
        keyId: expect.stringMatching(/^key_/) as string,
        method: 'GET',
        route: '/payment/status/{paymentId}',
      },
    ])
    expect(text).not.toMatch(/canary|pay_1|dropped/)
  })

  test('counts under its pattern, whichever way its path is spelled, and HEAD too', async () => {
    const { answered: all } = await noted(3, async () => {
      await server.ask('GET', '/payment/status/pay_1')
      await server.ask('GET', '/api/payment/status/pay_2')
      await server.ask('HEAD', '/payment/status/pay_3')
    })
    const pattern = '/payment/status/{paymentId}'
    expect(all.map(({ method, route: path, status }) => [method, path, status])).toEqual([
      ['GET', pattern, 404],
      ['GET', pattern, 404],
      ['HEAD', pattern, 404],
    ])
  })

  test('of no operation counts as none: unknown paths, other methods, broken URLs and what is not HTTP', async () => {
    const { answered: all } = await noted(4, async () => {
      await server.ask('GET', '/canary')
      await server.ask('DELETE', '/payment/status/pay_1')
      await server.ask('GET', '/payment/status/%zz')
      await rawAnswer(server.port, 'canary\r\n\r\n')
    })
    expect(all.map(({ route: path }) => path)).toEqual([null, null, null, null])
    expect(all.map(({ status }) => status)).toEqual([404, 405, 400, 400])
  })

  test('whose client has gone has no status', async () => {
    const { answered: all, records } = await noted(1, async () => {
      const socket = connect(server.port, '127.0.0.1')
      const request = `GET /payment/status/pay_held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`
      await new Promise((resolve) => socket.write(request, resolve))
      socket.destroy()
    })
    held.reject(new Refusal('NOT_FOUND'))
    expect(all).toMatchObject([{ status: null, method: 'GET' }])
    expect(records).toMatchObject([{ isGone: true }])
  })

  test('that failed for a bug is logged with its frames, for a part that is away without', async () => {
    const { records } = await noted(2, async () => {
      await server.ask('GET', '/payment/status/pay_bug')
      await server.ask('GET', '/payment/status/pay_away')
    })
    const [bug, , away] = records
    expect(bug).toMatchObject({
      level: 'error',
      msg: 'a request failed',
      route: '/payment/status/{paymentId}',
      err: { type: 'Error', stack: expect.stringContaining('answered.test.ts') as string },
    })
    expect(away).toMatchObject({
      level: 'warn',
      msg: 'a request could not be served',
      reason: 'a node is away',
    })
    expect(away).not.toHaveProperty('err')
    expect(records[1]).toMatchObject({ status: 500, errorCode: 'INTERNAL_ERROR' })
    expect(records[3]).toMatchObject({ status: 503, errorCode: 'NETWORK_ERROR' })
  })

  test('of a probe is not logged, only that its answer changed', async () => {
    const ask = async (times: number) => {
      for (let each = 0; each < times; each += 1) await server.ask('GET', '/health/ready')
    }
    const { records, answered: all } = await noted(9, async () => {
      await ask(3)
      state = 'down'
      await ask(3)
      state = 'ok'
      await ask(3)
    })
    expect(records.map(({ msg }) => msg)).toEqual([
      'a probe was told that the service is not ready',
      'a probe was told that the service is ready again',
    ])
    expect(records[0]).toMatchObject({ down: 'database' })
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 503, 503, 503, 200, 200, 200])
  })
})
