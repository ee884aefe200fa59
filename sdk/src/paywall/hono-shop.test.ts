import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import type { Handler } from 'hono'
import { expect, test } from 'vitest'
import { openTestServer } from './test-server.ts'
import { openShop, settlesOnce } from './test-shop.ts'
import type { Scheme, Settle } from './test-shop.ts'

const SCHEMES: readonly Scheme[] = ['exact', 'upto']

/** A shop of Hono on Node, as sellers run it. */
async function openHonoShop(scheme: Scheme, handler: Handler, settle: Settle = settlesOnce()) {
  const { wall, paying, told } = openShop(scheme, settle)
  const app = new Hono()
  app.get('/goods', wall, handler)
  app.onError((_, context) => context.text('broken', 500))
  const { port } = await openTestServer(createAdaptorServer({ fetch: app.fetch }) as Server)
  const buy = () => fetch(`http://127.0.0.1:${port}/goods`, { headers: paying, redirect: 'manual' })
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
