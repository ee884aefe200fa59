import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { paymentMiddleware as expressMiddleware } from 'x402-express'
import { paymentMiddleware as honoMiddleware } from 'x402-hono'

// A seller with the stock middleware of version 1, as a process of its own. It prints its address and serves until its input ends.
const settings = JSON.parse(process.argv[2] ?? '{}')
const authorization = { Authorization: `Bearer ${settings.apiKey}` }
const facilitator = {
  url: settings.facilitatorUrl,
  createAuthHeaders: async () => ({
    verify: authorization,
    settle: authorization,
    supported: authorization,
  }),
}
const { payTo, price, network, framework } = settings
const routes = { 'GET /goods': { price, network, config: { description: 'Goods' } } }
const GOODS = { goods: true }

function openExpress() {
  const shop = express()
  shop.use(expressMiddleware(payTo, routes, facilitator))
  shop.get('/goods', (_, answer) => answer.json(GOODS))
  return createServer(shop)
}

function openHono() {
  const shop = new Hono()
  shop.use(honoMiddleware(payTo, routes, facilitator))
  shop.get('/goods', (context) => context.json(GOODS))
  return createAdaptorServer({ fetch: shop.fetch })
}

const listening = framework === 'hono' ? openHono() : openExpress()
listening.listen(0, '127.0.0.1')
await once(listening, 'listening')
process.stdout.write(`http://127.0.0.1:${listening.address().port}/goods\n`)
process.stdin.on('end', () => process.exit(0)).resume()
