import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { SettleResponse } from '@x402/core/types'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import {
  bazaarResourceServerExtension,
  declareDiscoveryExtension,
  withBazaar,
} from '@x402/extensions/bazaar'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { openEscrow } from '../sandbox/src/evm/test-batch-scene.ts'
import type { Escrow } from '../sandbox/src/evm/test-batch-scene.ts'
import { aBatchBuyer, batchPayment, PRICE } from '../sandbox/src/evm/test-batch-shop.ts'
import type { BatchBuyer } from '../sandbox/src/evm/test-batch-shop.ts'
import type { Reply } from './actors/client.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const NETWORK = 'eip155:84532'
const SCHEME = 'batch-settlement'

let world: World
let escrow: Escrow
beforeAll(async () => {
  world = await openWorld()
  escrow = openEscrow(world.sandbox)
})
afterAll(() => world.stop())

function stock() {
  const { baseUrl, apiKeys } = world.service()
  const headers = { Authorization: `Bearer ${apiKeys.enterprise}` }
  const all = { verify: headers, settle: headers, supported: headers, bazaar: headers }
  return new HTTPFacilitatorClient({
    url: `${baseUrl}/x402`,
    createAuthHeaders: async () => await Promise.resolve(all),
  })
}
const bazaar = () => withBazaar(stock()).extensions.bazaar

/** The stock middleware in front of what is sold by `batch-settlement`, and described to be found. */
async function aStand() {
  const receiver = privateKeyToAccount(generatePrivateKey()).address
  const receiverAuthorizerSigner = privateKeyToAccount(generatePrivateKey())
  const facilitator = stock()
  const scheme = new BatchSettlementEvmScheme(receiver, { receiverAuthorizerSigner })
  const server = new x402ResourceServer(facilitator)
    .register(NETWORK, scheme)
    .registerExtension(bazaarResourceServerExtension)
  const price = {
    ...{ asset: world.sandbox.usdc, amount: String(PRICE) },
    extra: { name: 'USDC', version: '2' },
  }
  const shop = express()
  const routes = {
    'GET /plankton': {
      accepts: { scheme: SCHEME, network: NETWORK, payTo: receiver, price },
      description: 'Counts of plankton',
      extensions: declareDiscoveryExtension({ output: { example: { cells: 7 } } }),
    },
  } as const
  shop.use(paymentMiddleware(routes, server))
  shop.get('/plankton', (_, answer) => {
    answer.json({ cells: 7 })
  })
  const listening = createServer(shop).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    ...{ receiver, server, scheme, facilitator, url: `http://127.0.0.1:${port}/plankton` },
    [Symbol.asyncDispose]: async () => {
      listening.closeAllConnections()
      listening.close()
      await once(listening, 'close')
    },
  }
}

const aBuyer = () => aBatchBuyer(world.sandbox, 'cold')

/** What the shop tells whoever pays for a page. */
async function buy({ client }: BatchBuyer, url: string) {
  const answer = await wrapFetchWithPayment(fetch, client)(url)
  const said = answer.headers.get('payment-response') ?? ''
  return {
    ...{ status: answer.status, body: await answer.json() },
    settled: JSON.parse(Buffer.from(said, 'base64').toString()) as Fields,
  }
}

const ownOf = async (resource: string) => {
  const { body } = await world.client().get('/x402/catalogue')
  return (body['resources'] as Fields[]).filter((each) => each['resource'] === resource)
}
/** Waits until it has counted: nobody's answer waits for that. */
const hasCounted = (url: string, count: number) =>
  until(
    `${url} has counted ${count} times`,
    async () => (await ownOf(url)).some(({ settledCount }) => Number(settledCount) >= count),
    { seconds: 30 },
  )

describe('a resource that is paid by batch-settlement', () => {
  test('is found by its scheme, bought by what was found, and counts once for each deposit', async () => {
    await using stand = await aStand()
    const { url, receiver } = stand
    const first = await aBuyer()
    expect(await buy(first, url)).toMatchObject({
      ...{ status: 200, body: { cells: 7 } },
      settled: { success: true, transaction: expect.stringMatching(/^0x/) as string },
    })
    await hasCounted(url, 1)
    // Vouchers and claims count nothing.
    expect(await buy(first, url)).toMatchObject({ status: 200, settled: { transaction: '' } })
    await stand.scheme
      .createChannelManager(stand.facilitator, NETWORK, world.sandbox.usdc as Address)
      .claimAndSettle()
    await buy(await aBuyer(), url)
    await hasCounted(url, 2)
    expect(await ownOf(url)).toMatchObject([
      {
        settledCount: 2,
        prices: [{ scheme: SCHEME, network: NETWORK, amount: 0.001, payTo: receiver }],
      },
    ])

    const total = async (scheme: string) =>
      (await bazaar().listResources({ payTo: receiver, scheme })).pagination.total
    expect([await total(SCHEME), await total('exact')]).toEqual([1, 0])
    const searched = (scheme: string) => bazaar().search({ query: 'plankton', scheme })
    expect((await searched('exact')).resources).toEqual([])
    const [item] = (await searched(SCHEME)).resources
    expect(item).toMatchObject({ resource: url, accepts: [{ amount: String(PRICE) }] })

    // Whoever found it needs no other word of its seller's to pay.
    const accepts = item?.accepts ?? []
    const finder = await aBuyer()
    const payment = await finder.client.createPaymentPayload({
      ...{ x402Version: 2, accepts, resource: { url } },
    })
    const headers = { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) }
    expect((await fetch(url, { headers })).status).toBe(200)
  })

  test('is told of at each answer, and listed by a deposit alone', async () => {
    await using stand = await aStand()
    const buyer = await aBuyer()
    const url = 'http://127.0.0.1:4021/told'
    const extensions = await declared(stand.url)
    const ask = (path: 'verify' | 'settle', { payment, terms }: Paying) =>
      world.client().post(`/x402/${path}`, {
        ...{ x402Version: 2, paymentRequirements: terms },
        paymentPayload: { ...payment, resource: { url, description: 'Told' }, extensions },
      })
    const deposit = await batchPayment(escrow, stand, buyer)
    const verified = await ask('verify', deposit)
    expect(verified.body).toMatchObject({ isValid: true })
    expect(told(verified)).toEqual({ bazaar: { status: 'processing' } })
    expect(await ownOf(url)).toEqual([])

    const settled = await ask('settle', deposit)
    expect(settled.body).toMatchObject({ success: true })
    expect(told(settled)).toEqual({ bazaar: { status: 'processing' } })
    await hasCounted(url, 1)
    const again = await ask('settle', deposit)
    expect(again.body).toMatchObject({ errorReason: 'duplicate_settlement' })
    expect(told(again)).toBeNull()

    await buyer.client.handlePaymentResponse({
      ...{ paymentPayload: deposit.payment, requirements: deposit.terms },
      settleResponse: settled.body as Fields as SettleResponse,
    })
    const voucher = await batchPayment(escrow, stand, buyer)
    expect(voucher.payment.payload).toMatchObject({ type: 'voucher' })
    const seen = await ask('verify', voucher)
    expect(seen.body).toMatchObject({ isValid: true })
    expect(told(seen)).toBeNull()
    expect(told(await ask('settle', voucher))).toBeNull()
    expect(await ownOf(url)).toMatchObject([{ settledCount: 1 }])
  })
})

type Paying = Pick<Awaited<ReturnType<typeof batchPayment>>, 'payment' | 'terms'>

/** What the stand's own demand declares. */
async function declared(url: string): Promise<Fields> {
  const { headers } = await fetch(url)
  const text = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString()
  return (JSON.parse(text) as { extensions: Fields }).extensions
}

function told({ headers }: Reply): unknown {
  const text = headers.get('extension-responses')
  return text === null ? null : JSON.parse(Buffer.from(text, 'base64').toString())
}
