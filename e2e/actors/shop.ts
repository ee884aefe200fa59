import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import {
  paymentMiddleware as expressMiddleware,
  setSettlementOverrides as chargeOfExpress,
  x402ResourceServer,
} from '@x402/express'
import {
  paymentMiddleware as honoMiddleware,
  setSettlementOverrides as chargeOfHono,
} from '@x402/hono'
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { ExactSvmScheme } from '@x402/svm/exact/server'

/** What a shop is told; JSON in its only argument. */
export interface ShopSettings {
  readonly facilitatorUrl: string
  readonly apiKey: string
  readonly framework: 'express' | 'hono'
  readonly network: `${string}:${string}`
  readonly payTo: string
  readonly price: string
  /** It describes what it sells, to be found. */
  readonly isListed?: true
  /** It takes the money before its handler runs. */
  readonly isUpfront?: true
  /** Solana: a node of its own, whose newest blockhash it hands out with its demand. */
  readonly solanaRpcUrl?: string
  /** EVM: a token that is paid by Permit2, of which `upto` takes the charge only. Left out: by EIP-3009. */
  readonly permit2?: {
    readonly asset: string
    readonly amount: string
    readonly charge?: string
    /** Which of the two ways to approve Permit2 it declares; left out, permits. */
    readonly approval?: 'eip2612GasSponsoring' | 'erc20ApprovalGasSponsoring'
  }
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
  .register('eip155:*', new UptoEvmScheme())
  .register('solana:*', new ExactSvmScheme(hintsOf(settings)))
const { network, payTo, permit2, isListed, isUpfront } = settings
if (isListed) server.registerExtension(bazaarResourceServerExtension)
const scheme = permit2?.charge === undefined ? 'exact' : 'upto'
const price =
  permit2 === undefined
    ? settings.price
    : {
        ...{ asset: permit2.asset, amount: permit2.amount },
        extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
      }
// The extension as the stock package declares it.
const sponsoring = {
  info: { description: 'Gasless approval of Permit2', version: '1' },
  schema: { type: 'object' },
}
const routes = {
  'GET /goods': {
    accepts: {
      ...{ scheme, network, payTo, price },
      ...(isUpfront ? { extra: { paymentFlow: 'upfront' } } : {}),
    },
    description: 'Goods',
    extensions: {
      ...(permit2 === undefined
        ? {}
        : { [permit2.approval ?? 'eip2612GasSponsoring']: sponsoring }),
      ...(isListed ? declareDiscoveryExtension({ output: { example: { goods: true } } }) : {}),
    },
  },
}
const GOODS = { goods: true }

function openExpress() {
  const shop = express()
  shop.use(expressMiddleware(routes, server))
  shop.get('/goods', (_, answer) => {
    if (permit2?.charge !== undefined) chargeOfExpress(answer, { amount: permit2.charge })
    answer.json(GOODS)
  })
  return createServer(shop)
}

function openHono() {
  const shop = new Hono()
  shop.use(honoMiddleware(routes, server))
  shop.get('/goods', (context) => {
    if (permit2?.charge !== undefined) chargeOfHono(context, { amount: permit2.charge })
    return context.json(GOODS)
  })
  return createAdaptorServer({ fetch: shop.fetch })
}

const listening = settings.framework === 'hono' ? openHono() : openExpress()
listening.listen(0, '127.0.0.1')
await once(listening, 'listening')
const { port } = listening.address() as AddressInfo
process.stdout.write(`http://127.0.0.1:${port}/goods\n`)
process.stdin.on('end', () => process.exit(0)).resume()

function hintsOf({ solanaRpcUrl: rpcUrl }: ShopSettings) {
  return rpcUrl === undefined ? {} : { rpcUrl }
}
