import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { until } from '@florin/server/kernel/until.ts'
import { createAdaptorServer } from '@hono/node-server'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Handler, MiddlewareHandler } from 'hono'
import { expect, test } from 'vitest'
import { openTestServer } from './test-server.ts'
import { openShop, settlesOnce, settlesWhenLet } from './test-shop.ts'
import type { Scheme, Settle } from './test-shop.ts'

const SCHEMES: readonly Scheme[] = ['exact', 'upto']

/** A shop of Hono on Node, as sellers run it. */
async function openHonoShop(
  scheme: Scheme,
  handler: Handler | MiddlewareHandler,
  settle: Settle = settlesOnce(),
  front: MiddlewareHandler = async (_, next) => {
    await next()
  },
) {
  const { wall, paying, told } = openShop(scheme, settle)
  const app = new Hono()
  app.use(front)
  app.get('/goods', wall, handler)
  app.onError((_, context) => context.text('broken', 500))
  const { port } = await openTestServer(createAdaptorServer({ fetch: app.fetch }) as Server)
  const init = { headers: paying, redirect: 'manual' } as const
  const buy = (signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/goods`, signal === undefined ? init : { ...init, signal })
  return { buy, told }
}

/** Somebody else's server whose answer is passed on. */
async function openUpstream(status: number): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.writeHead(status, { 'content-type': 'text/plain' }).end('from upstream')
  })
  const { port } = await openTestServer(server)
  return `http://127.0.0.1:${port}/`
}

test.each(SCHEMES)('an answer that was fetched from elsewhere is sold by %s', async (scheme) => {
  const upstream = await openUpstream(200)
  const { buy, told } = await openHonoShop(scheme, () => fetch(upstream))
  const answer = await buy()
  expect([answer.status, await answer.text()]).toEqual([200, 'from upstream'])
  expect(answer.headers.get('payment-response')).not.toBeNull()
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(told).toEqual(['paid'])
  expect((await buy()).status).toBe(409)
})

test.each(SCHEMES)('an address to go to is sold by %s', async (scheme) => {
  const { buy, told } = await openHonoShop(scheme, () => Response.redirect('http://shop.example/'))
  const answer = await buy()
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://shop.example/'])
  expect(answer.headers.get('payment-response')).not.toBeNull()
  expect(told).toEqual(['paid'])
})

test.each(SCHEMES)(
  'an error that was fetched from elsewhere is passed on as it is, by %s',
  async (scheme) => {
    const upstream = await openUpstream(404)
    const { buy, told } = await openHonoShop(scheme, () => fetch(upstream))
    const answer = await buy()
    expect([answer.status, await answer.text()]).toEqual([404, 'from upstream'])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(told).toEqual(scheme === 'upto' ? [] : ['paid', 'the handler answered 404'])
    expect((await buy()).status).toBe(404)
  },
)

const read: Handler = async () => {
  const answer = new Response('goods')
  await answer.text()
  return answer
}
const taken: Handler = () => {
  const answer = new Response('goods')
  answer.body?.getReader()
  return answer
}

test.each([
  ['a body that was read', read],
  ['a body that somebody else reads', taken],
  ['no status', () => Response.error()],
])('an answer with %s is no delivery, and takes nothing by upto', async (_, handler) => {
  const exact = await openHonoShop('exact', handler)
  const answer = await exact.buy()
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    { error: 'answer_not_sendable' },
  ])
  expect(exact.told).toEqual(['paid', 'the answer could not be sent'])
  expect((await exact.buy()).status).toBe(500)
  const upto = await openHonoShop('upto', handler)
  const second = await upto.buy()
  expect([second.status, await second.json()]).toMatchObject([
    500,
    { error: 'answer_not_sendable' },
  ])
  expect(upto.told).toEqual([])
})

test('a handler that answers nothing has delivered nothing', async () => {
  // As a handler that has forgotten its return does.
  const handler: MiddlewareHandler = async () => undefined
  const exact = await openHonoShop('exact', handler)
  expect((await exact.buy()).status).toBe(500)
  expect(exact.told).toEqual(['paid', 'the handler answered nothing'])
  const upto = await openHonoShop('upto', handler)
  expect((await upto.buy()).status).toBe(500)
  expect(upto.told).toEqual([])
})

test('one answer for all buyers carries to each the own payment alone', async () => {
  const answer = new Response(null, { status: 204 })
  const { buy } = await openHonoShop('exact', () => answer)
  expect((await buy()).headers.get('payment-response')).not.toBeNull()
  expect(answer.headers.get('payment-response')).toBeNull()
})

/** Answers in place of all that stands behind it, as soon as the test has had enough. */
function openTimeLimit(isThrown: boolean) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const front: MiddlewareHandler = (context, next) =>
    Promise.race([
      next(),
      promise.then(() => {
        if (isThrown) throw new Error('too late')
        return context.text('too late', 504)
      }),
    ])
  return { front, giveUp: resolve }
}

test.each([
  ['exact', true],
  ['exact', false],
  ['upto', true],
  ['upto', false],
] as const)(
  'what is settled by %s after somebody else has answered is delivered when its buyer asks again',
  async (scheme, isThrown) => {
    const { settle, asked, letGo } = settlesWhenLet(settlesOnce())
    const { front, giveUp } = openTimeLimit(isThrown)
    let [isFirst, served] = [true, 0]
    const handler: Handler = (context) => {
      served += 1
      return context.text('goods')
    }
    const limited: MiddlewareHandler = (context, next) => {
      const isLimited = isFirst
      isFirst = false
      return isLimited ? front(context, next) : next()
    }
    const { buy, told } = await openHonoShop(scheme, handler, settle, limited)
    const buying = buy()
    await asked
    giveUp()
    const first = await buying
    expect([first.status >= 500, await first.text()]).toEqual([
      true,
      expect.not.stringMatching('goods'),
    ])
    letGo()
    await until('the seller has heard', () => told.length === 2, { seconds: 30 })
    expect(told).toEqual(['paid', 'somebody else had answered'])
    const again = await buy()
    expect([again.status, await again.text(), served]).toEqual([200, 'goods', 1])
    expect((await buy()).status).toBe(409)
  },
)

test('an answer by upto in parts of a letter each is bounded by what it takes of memory', async () => {
  let written = 0
  const { buy, told } = await openHonoShop('upto', (context) =>
    context.body(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array([97]))
          written += 1
          if (written === 200_000) controller.close()
        },
      }),
    ),
  )
  const answer = await buy()
  expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'answer_too_long' }])
  expect(told).toEqual([])
})

test('a handler that streams for ever is stopped when its buyer has gone', async () => {
  const stopped = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const endless = { pull: () => started.resolve(), cancel: () => stopped.resolve() }
  const handler: Handler = () => new Response(new ReadableStream(endless, { highWaterMark: 0 }))
  const { wall, paying, told } = openShop('upto')
  const app = new Hono()
  app.get('/goods', wall, handler)
  const buyer = new AbortController()
  const init = { headers: paying, signal: buyer.signal }
  const buying = app.request('http://shop.example/goods', init)
  await started.promise
  buyer.abort()
  await stopped.promise
  expect([(await buying).status, told]).toEqual([499, []])
})

test.each(SCHEMES)(
  'what is settled for a buyer who has gone is told of, and delivered when it asks again, by %s',
  async (scheme) => {
    const { settle, asked, letGo } = settlesWhenLet(settlesOnce())
    const gone = Promise.withResolvers<void>()
    const front: MiddlewareHandler = async ({ env }, next) => {
      ;(env as HttpBindings).outgoing.once('close', () => gone.resolve())
      await next()
    }
    const { buy, told } = await openHonoShop(
      scheme,
      (context) => context.text('goods'),
      settle,
      front,
    )
    const buyer = new AbortController()
    const buying = buy(buyer.signal)
    await asked
    buyer.abort()
    await expect(buying).rejects.toThrow('aborted')
    await gone.promise
    letGo()
    await until('the seller has heard', () => told.length === 2, { seconds: 30 })
    expect(told).toEqual(['paid', 'the buyer was gone before the answer'])
    expect(await (await buy()).text()).toBe('goods')
    expect((await buy()).status).toBe(409)
  },
)

test('a body that breaks before anything of it is out was not delivered, and one that has begun was', async () => {
  let times = 0
  const handler: Handler = () => {
    times += 1
    const breaksAt = times === 1 ? 0 : 1
    let parts = 0
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (parts === breaksAt) controller.error(new Error('upstream is down'))
          else controller.enqueue(new TextEncoder().encode('goods'))
          parts += 1
        },
      }),
    )
  }
  const { buy, told } = await openHonoShop('exact', handler)
  await buy()
    .then((answer) => answer.text())
    .catch(() => undefined)
  await until('the seller has heard', () => told.length === 2, { seconds: 30 })
  expect(told).toEqual(['paid', 'the answer broke before anything of it was out'])
  await buy()
    .then((answer) => answer.text())
    .catch(() => undefined)
  expect((await buy()).status).toBe(409)
  expect(times).toBe(2)
})

test('what an unread answer has is delivered: nobody reads the body for HEAD', async () => {
  const { wall, paying, told } = openShop('exact')
  const app = new Hono()
  app.get('/goods', wall, (context) => context.text('goods'))
  const answer = await app.request('/goods', { method: 'HEAD', headers: paying })
  expect([answer.status, told]).toEqual([200, ['paid']])
  expect((await app.request('/goods', { headers: paying })).status).toBe(409)
})

test.each(SCHEMES)(
  'an answer that is thrown away before any of it was read is no delivery, by %s',
  async (scheme) => {
    let times = 0
    const front: MiddlewareHandler = async (context, next) => {
      await next()
      times += 1
      if (times > 1) return
      await context.res.body?.cancel()
      context.res = context.text('busy', 503)
    }
    const { buy, told } = await openHonoShop(
      scheme,
      (context) => context.text('goods'),
      settlesOnce(),
      front,
    )
    expect((await buy()).status).toBe(503)
    expect(told).toEqual(['paid', 'the buyer was gone before the answer'])
    const again = await buy()
    expect([again.status, await again.text()]).toEqual([200, 'goods'])
    expect((await buy()).status).toBe(409)
  },
)

test.each([
  ['exact', 0],
  ['exact', 1],
  ['upto', 0],
  ['upto', 1],
] as const)(
  'a buyer who breaks off an answer that is streamed stops its source, whatever that makes of it: by %s after %d parts',
  async (scheme, partsBefore) => {
    const [waits, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handler: Handler = () => {
      let parts = 0
      return new Response(
        new ReadableStream({
          pull(controller) {
            parts += 1
            if (parts <= partsBefore) return controller.enqueue(new TextEncoder().encode('goods'))
            waits.resolve()
            return new Promise<void>(() => undefined)
          },
          cancel() {
            stopped.resolve()
            throw new Error('the source breaks')
          },
        }),
      )
    }
    const { buy, told } = await openHonoShop(scheme, handler)
    const buyer = new AbortController()
    const begun = Promise.withResolvers<void>()
    const buying = buy(buyer.signal).then(async ({ body }) => {
      for await (const _ of body ?? []) begun.resolve()
    })
    await Promise.race([buying, waits.promise])
    // By upto nothing of it goes out before it has ended.
    if (scheme === 'exact' && partsBefore > 0) await begun.promise
    buyer.abort()
    await expect(buying).rejects.toThrow('aborted')
    await stopped.promise
    const undelivered = ['paid', 'the buyer was gone before the answer']
    const heard = scheme === 'upto' ? [] : partsBefore === 0 ? undelivered : ['paid']
    await until('the seller has heard', () => told.length === heard.length, { seconds: 30 })
    expect(told).toEqual(heard)
  },
)
