import { createServer } from 'node:http'
import type { RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@florin/server/kernel/until.ts'
import express from 'express'
import type { ErrorRequestHandler } from 'express'
import { fastify } from 'fastify'
import type { FastifyReply } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { Paywall } from './paywall.ts'
import { openTestServer } from './test-server.ts'
import {
  FAILURES,
  fails,
  HEARD_OF_FAILURE,
  openShop,
  refuses,
  settlesOnce,
  settlesWhenLet,
} from './test-shop.ts'
import type { Scheme, Settle } from './test-shop.ts'

/** What the test does with each response before the paywall has it. */
type Front = (response: ServerResponse, reply?: FastifyReply) => void
type Open = (wall: Paywall, front: Front, rejected: unknown[], handler: Handler) => Promise<number>
type Handler = (response: ServerResponse) => unknown

const FRAMEWORKS = {
  // Nobody waits for what a middleware promises, as in Express 4.
  'plain http': async (wall, front, rejected, handler) => {
    const listener: RequestListener = (request, response) => {
      front(response)
      wall(request, response, () => handler(response)).catch((error: unknown) =>
        rejected.push(error),
      )
    }
    return (await openTestServer(createServer(listener))).port
  },
  'Express 5': async (wall, front, rejected, handler) => {
    const app = express()
    app.use((_, response, next) => {
      front(response)
      next()
    })
    app.get('/goods', wall, (_, response) => handler(response))
    const onError: ErrorRequestHandler = (error, _, response, _next) => {
      rejected.push(error)
      response.destroy()
    }
    app.use(onError)
    return (await openTestServer(createServer(app))).port
  },
  Fastify: async (wall, front, rejected, handler) => {
    const app = fastify()
    app.addHook('onRequest', async (_, reply) => front(reply.raw, reply))
    app.get('/goods', { preHandler: wall }, (_, reply) => {
      reply.hijack()
      handler(reply.raw)
    })
    app.setErrorHandler((error) => {
      rejected.push(error)
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => {
      app.server.closeAllConnections()
      return app.close()
    })
    return (app.server.address() as AddressInfo).port
  },
} as const satisfies Record<string, Open>
type Framework = keyof typeof FRAMEWORKS
const NAMES: readonly Framework[] = ['plain http', 'Express 5', 'Fastify']

async function openNodeShop(framework: Framework, scheme: Scheme, setting: Partial<Setting> = {}) {
  const { settle, beforeVerdict, front = () => undefined, handler = sell } = setting
  const { wall, paying, told } = openShop(scheme, settle, beforeVerdict)
  const rejected: unknown[] = []
  const port = await FRAMEWORKS[framework](wall, front, rejected, handler)
  const buy = () => fetch(`http://127.0.0.1:${port}/goods`, { headers: paying })
  return { buy, told, rejected }
}
interface Setting {
  readonly settle: Settle
  readonly beforeVerdict: () => Promise<void>
  readonly front: Front
  readonly handler: Handler
}

const sell: Handler = (response) => void response.end('goods')

/** The first response, for the test to answer. */
function openHand() {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  return { front: resolve as Front, response: promise }
}

const ENDS = (response: ServerResponse) => response.writeHead(503).end('too late')
const BEGINS = (response: ServerResponse) => {
  response.writeHead(503).write('too ')
  setTimeout(() => response.end('late'), 50)
}

const SOMEBODY_ELSE = NAMES.flatMap((name) =>
  [ENDS, BEGINS].map((answer) => [name, answer === ENDS ? 'answered' : 'begun', answer] as const),
)

test.each(SOMEBODY_ELSE)(
  '%s: what is settled after somebody else has %s is told of, and delivered when its buyer asks again',
  async (framework, _, answer) => {
    const { settle, asked, letGo } = settlesWhenLet(settlesOnce())
    const hand = openHand()
    const { buy, told, rejected } = await openNodeShop(framework, 'exact', { settle, ...hand })
    const buying = buy()
    await asked
    answer(await hand.response)
    letGo()
    const first = await buying
    expect([first.status, await first.text()]).toEqual([503, 'too late'])
    await until('the seller has heard', () => told.length === 2, { seconds: 30 })
    expect([told, rejected]).toEqual([['paid', 'somebody else had answered'], []])
    const again = await buy()
    expect([again.status, await again.text()]).toEqual([200, 'goods'])
    expect((await buy()).status).toBe(409)
  },
)

test.each(
  SOMEBODY_ELSE.flatMap((each) =>
    ['insufficient_funds', 'settlement_pending', 'network_unavailable'].map(
      (reason) => [...each, reason] as const,
    ),
  ),
)(
  '%s: nothing is said after somebody else has %s, and nothing thrown',
  async (framework, _, answer, reason) => {
    const { settle, asked, letGo } = settlesWhenLet(refuses(reason))
    const hand = openHand()
    const { buy, rejected } = await openNodeShop(framework, 'exact', { settle, ...hand })
    const buying = buy()
    await asked
    answer(await hand.response)
    letGo()
    const first = await buying
    expect([first.status, await first.text()]).toEqual([503, 'too late'])
    expect((await buy()).status).toBe(reason === 'insufficient_funds' ? 402 : 503)
    expect(rejected).toEqual([])
  },
)

test.each(SOMEBODY_ELSE)(
  '%s: after somebody else has %s no handler runs by upto, and nothing is taken',
  async (framework, _, answer) => {
    const [asked, verdict] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const beforeVerdict = () => {
      asked.resolve()
      return verdict.promise
    }
    const hand = openHand()
    let served = 0
    const handler: Handler = (response) => {
      served += 1
      sell(response)
    }
    const setting = { beforeVerdict, handler, ...hand }
    const { buy, told, rejected } = await openNodeShop(framework, 'upto', setting)
    const buying = buy()
    await asked.promise
    answer(await hand.response)
    verdict.resolve()
    expect(await (await buying).text()).toBe('too late')
    expect([served, told, rejected]).toEqual([0, [], []])
    expect(await (await buy()).text()).toBe('goods')
  },
)

test.each(NAMES)(
  '%s: an answer that is kept stays kept while somebody else answers',
  async (framework) => {
    const settles = settlesOnce()
    const second = settlesWhenLet(settles)
    let times = 0
    const settle: Settle = () => {
      times += 1
      return times === 1 ? refuses('settlement_pending')() : second.settle()
    }
    const responses: ServerResponse[] = []
    const front: Front = (response) => void responses.push(response)
    const { buy, told, rejected } = await openNodeShop(framework, 'upto', { settle, front })
    expect((await buy()).status).toBe(503)
    const buying = buy()
    await second.asked
    const [, waiting] = responses
    if (waiting !== undefined) BEGINS(waiting)
    second.letGo()
    expect(await (await buying).text()).toBe('too late')
    expect([told, rejected]).toEqual([['paid', 'somebody else had answered'], []])
    const again = await buy()
    expect([again.status, await again.text(), times]).toEqual([200, 'goods', 2])
  },
)

test('Fastify: a reply that somebody else takes meanwhile is theirs, and its payment may be shown again', async () => {
  const { settle, asked, letGo } = settlesWhenLet(settlesOnce())
  const replies: FastifyReply[] = []
  const front: Front = (_, reply) => void (reply !== undefined && replies.push(reply))
  const { buy, told, rejected } = await openNodeShop('Fastify', 'exact', { settle, front })
  const buying = buy()
  await asked
  const [reply] = replies
  reply?.hijack()
  letGo()
  await until('the seller has heard', () => told.length === 2, { seconds: 30 })
  reply?.raw.end('somebody else')
  const first = await buying
  expect([await first.text(), first.headers.get('payment-response')]).toEqual([
    'somebody else',
    null,
  ])
  expect([told, rejected]).toEqual([['paid', 'somebody else had answered'], []])
  expect(await (await buy()).text()).toBe('goods')
})

test.each(FAILURES)(
  'a handler that %s where no framework catches it is answered with 500, by %s',
  async (_, scheme, handler) => {
    const heard = HEARD_OF_FAILURE[scheme]
    const { buy, told, rejected } = await openNodeShop('plain http', scheme, { handler })
    expect((await buy()).status).toBe(500)
    await until('the seller has heard', () => told.length === heard.length, { seconds: 30 })
    expect([told, rejected]).toEqual([heard, []])
  },
)

test.each(['exact', 'upto'] as const)(
  'what a handler throws after its answer breaks nothing, by %s',
  async (scheme) => {
    const handler: Handler = (response) => {
      response.end('goods')
      fails()
    }
    const { buy, told, rejected } = await openNodeShop('plain http', scheme, { handler })
    const answer = await buy()
    expect([answer.status, await answer.text()]).toEqual([200, 'goods'])
    expect([told.toSorted(), rejected]).toEqual([['handler_threw', 'paid'], []])
    expect((await buy()).status).toBe(409)
  },
)

test('of a handler that throws in the middle of its answer the connection breaks', async () => {
  const handler: Handler = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('goo')
    fails()
  }
  const { buy, rejected } = await openNodeShop('plain http', 'exact', { handler })
  await expect(buy().then((answer) => answer.text())).rejects.toThrow(TypeError)
  expect(rejected).toEqual([])
})

test.each(['plain http', 'Express'] as const)(
  '%s: of a handler that fails in the middle of its answer by upto nothing goes out and nothing is taken',
  async (framework) => {
    const { wall, paying, told } = openShop('upto')
    const app = express().set('env', 'test')
    app.get('/goods', wall, (_, response) => begins(response))
    const listener: RequestListener = (request, response) =>
      void wall(request, response, () => begins(response))
    const server = createServer(framework === 'Express' ? app : listener)
    const { port } = await openTestServer(server)
    const begins = (response: ServerResponse) => {
      response.write('goods')
      fails()
    }
    const buy = () => fetch(`http://127.0.0.1:${port}/goods`, { headers: paying })
    for (const _ of [1, 2]) {
      const answer = await buy()
      expect([answer.status, await answer.json()]).toMatchObject([
        500,
        { error: 'answer_not_sendable' },
      ])
    }
    expect(new Set(told)).toEqual(new Set(framework === 'Express' ? [] : ['handler_threw']))
  },
)

test.each(['exact', 'upto'] as const)(
  'of a handler that throws after it said how long its answer is, an empty one is read by %s',
  async (scheme) => {
    const handler: Handler = (response) => {
      response.setHeader('content-length', '100')
      fails()
    }
    const { buy } = await openNodeShop('plain http', scheme, { handler })
    const answer = await buy()
    expect([answer.status, await answer.text()]).toEqual([500, ''])
  },
)

const CACHED = { 'Cache-Control': 'public, max-age=3600', Vary: 'Accept-Encoding' }

test.each([
  [
    'set before',
    (response) => {
      for (const [name, value] of Object.entries(CACHED)) response.setHeader(name, value)
      response.end('goods')
    },
  ],
  [
    'written with the status',
    (response) => void response.writeHead(200, 'Fine', CACHED).end('goods'),
  ],
  [
    'written as a list',
    (response) => void response.writeHead(200, Object.entries(CACHED).flat()).end('goods'),
  ],
] satisfies readonly (readonly [string, Handler])[])(
  'no cache may keep what was paid for, whatever its handler says: %s',
  async (_, handler) => {
    for (const framework of NAMES) {
      const { buy, told } = await openNodeShop(framework, 'exact', { handler })
      const answer = await buy()
      expect([answer.status, await answer.text()]).toEqual([200, 'goods'])
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      expect(answer.headers.get('vary')).toBe('Accept-Encoding, PAYMENT-SIGNATURE, X-PAYMENT')
      expect(told).toEqual(['paid'])
    }
  },
)

test('what hooks of Fastify say of every answer they say of those of the paywall', async () => {
  const front: Front = (_, reply) => void reply?.header('access-control-allow-origin', '*')
  const { buy } = await openNodeShop('Fastify', 'exact', {
    front,
    settle: refuses('insufficient_funds'),
  })
  const answer = await buy()
  expect(answer.status).toBe(402)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

test.each(['exact', 'upto'] as const)(
  'Fastify: an answer with a header that none can carry is no delivery, and takes nothing by upto: %s',
  async (scheme) => {
    const { wall, paying, told } = openShop(scheme)
    const app = fastify()
    let times = 0
    app.get('/goods', { preHandler: wall }, (_, reply) => {
      times += 1
      return reply.header('x-title', times === 1 ? 'two\nlines' : 'one line').send('goods')
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    const { port } = app.server.address() as AddressInfo
    const buy = () => fetch(`http://127.0.0.1:${port}/goods`, { headers: paying })
    const first = await buy()
    expect([first.status, await first.text()]).toEqual([500, expect.not.stringMatching('goods')])
    const undelivered = ['paid', 'the handler answered 500']
    expect(told).toEqual(scheme === 'exact' ? undelivered : [])
    const again = await buy()
    expect([again.status, await again.text()]).toEqual([200, 'goods'])
    expect(told).toEqual(scheme === 'exact' ? undelivered : ['paid'])
    expect((await buy()).status).toBe(409)
  },
)
