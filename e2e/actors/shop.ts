import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware as expressMiddleware, x402ResourceServer } from '@x402/express'
import { paymentMiddleware as honoMiddleware } from '@x402/hono'
import { ExactSvmScheme } from '@x402/svm/exact/server'

/** What a shop is told; JSON in its only argument. */
export interface ShopSettings {
  readonly facilitatorUrl: string
  readonly apiKey: string
  readonly framework: 'express' | 'hono'
  readonly network: `${string}:${string}`
  readonly payTo: string
  readonly price: string
}

// A seller with the stock middleware of version 2, as a process of its own. It prints its address and serves until its input ends.
const settings = JSON.parse(process.argv[2] ?? '{}') as ShopSettings
const authorization = { Authorization: `Bearer ${settings.apiKey}` }
const facilitator = new HTTPFacilitatorClient({
  url: settings.facilitatorUrl,
  createAuthHeaders: async () => ({
    verify: authorization,
    settle: authorization,
    supported: authorization,
  }),
})
const server = new x402ResourceServer(facilitator)
  .register('eip155:*', new ExactEvmScheme())
  .register('solana:*', new ExactSvmScheme())
const { network, payTo, price } = settings
const routes = {
  'GET /goods': {
    accepts: { scheme: 'exact', network, payTo, price },
    description: 'Goods',
  },
}
const GOODS = { goods: true }

function openExpress() {
  const shop = express()
  shop.use(expressMiddleware(routes, server))
  shop.get('/goods', (_, answer) => {
    answer.json(GOODS)
  })
  return createServer(shop)
}

function openHono() {
  const shop = new Hono()
  shop.use(honoMiddleware(routes, server))
  shop.get('/goods', (context) => context.json(GOODS))
  return createAdaptorServer({ fetch: shop.fetch })
}

const listening = settings.framework === 'hono' ? openHono() : openExpress()
listening.listen(0, '127.0.0.1')
await once(listening, 'listening')
const { port } = listening.address() as AddressInfo
process.stdout.write(`http://127.0.0.1:${port}/goods\n`)
process.stdin.on('end', () => process.exit(0)).resume()
