import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'

/** What a shop is told; JSON in its only argument. */
export interface ShopSettings {
  readonly facilitatorUrl: string
  readonly apiKey: string
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
const shop = express()
shop.use(
  paymentMiddleware(
    { 'GET /goods': { accepts: { scheme: 'exact', network, payTo, price }, description: 'Goods' } },
    server,
  ),
)
shop.get('/goods', (_, answer) => {
  answer.json({ goods: true })
})
const listening = shop.listen(0, '127.0.0.1')
await once(listening, 'listening')
const { port } = listening.address() as AddressInfo
process.stdout.write(`http://127.0.0.1:${port}/goods\n`)
process.stdin.on('end', () => process.exit(0)).resume()
