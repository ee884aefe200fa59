import type { ServerResponse } from 'node:http'
import { until } from '@florin/server/kernel/until.ts'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { FAILURES, fails, HEARD_OF_FAILURE, openShop } from './test-shop.ts'
import type { Scheme } from './test-shop.ts'

type Handler = (response: ServerResponse) => unknown

/** A shop of Fastify whose handler takes the reply for itself, and what other routes of the same server answer. */
async function openHijackingShop(scheme: Scheme, handler: Handler) {
  const { wall, paying, told } = openShop(scheme)
  const app = fastify()
  app.get('/goods', { preHandler: wall }, (_, reply) => {
    reply.hijack()
    return handler(reply.raw)
  })
  app.get('/open', () => {
    throw new Error('of nobody’s business')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const address = app.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const url = `http://127.0.0.1:${port}`
  const signal = AbortSignal.timeout(20_000)
  return {
    buy: () => fetch(`${url}/goods`, { headers: paying, signal }),
    open: () => fetch(`${url}/open`),
    told,
  }
}

test.each(FAILURES)(
  'a handler that has taken the reply and %s is answered with 500, and has delivered nothing, by %s',
  async (_, scheme, handler) => {
    const heard = HEARD_OF_FAILURE[scheme]
    const { buy, told } = await openHijackingShop(scheme, handler)
    expect((await buy()).status).toBe(500)
    await until('the seller has heard', () => told.length === heard.length, { seconds: 30 })
    expect(told).toEqual(heard)
    expect((await buy()).status).toBe(500)
  },
)

test('of one that fails in the middle of its answer the connection breaks', async () => {
  const { buy, told } = await openHijackingShop('exact', async (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('goo')
    fails()
  })
  await expect(buy().then((answer) => answer.text())).rejects.toThrow(TypeError)
  expect(told).toContain('handler_threw')
})

test.each(['exact', 'upto'] as const)(
  'what one throws after its answer breaks nothing, and delivered is delivered, by %s',
  async (scheme) => {
    const { buy, told } = await openHijackingShop(scheme, async (response) => {
      response.end('goods')
      fails()
    })
    const answer = await buy()
    expect([answer.status, await answer.text()]).toEqual([200, 'goods'])
    expect((await buy()).status).toBe(409)
    expect(told.filter((each) => each !== 'handler_threw')).toEqual(['paid'])
  },
)

test('what Fastify answers itself is left to it, and no other route is told of', async () => {
  const { open, buy, told } = await openHijackingShop('exact', (response) => response.end('goods'))
  expect((await buy()).status).toBe(200)
  const answer = await open()
  expect([answer.status, await answer.json()]).toMatchObject([500, { statusCode: 500 }])
  expect(told).toEqual(['paid'])
})
