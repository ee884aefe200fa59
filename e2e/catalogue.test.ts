import { randomBytes } from 'node:crypto'
import { Florin } from '@florin/sdk'
import { withBazaar, declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Reply } from './actors/client.ts'
import { anotherAccount } from './actors/receiver.ts'
import { openPaidShop } from './actors/paid-shop.ts'
import { buy, openShop } from './actors/run-actor.ts'
import { aPurchase, EVM } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { write } from '@florin/server/store/test-write.ts'

const WEATHER = {
  input: { city: 'Graz' },
  inputSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
  output: { example: { degrees: 21 } },
}

/** What a stock seller of version 2 declares, with the method that its server adds. */
function declared(): Fields {
  const { bazaar } = declareDiscoveryExtension(WEATHER)
  const said = JSON.parse(JSON.stringify(bazaar)) as {
    info: { input: Fields }
    schema: { properties: { input: { properties: Fields; required: string[] } } }
  }
  said.info.input = { ...said.info.input, method: 'GET' }
  return { bazaar: said }
}

describe('the catalogue', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())

  const stock = (apiKey = world.service().apiKeys.enterprise) =>
    withBazaar(
      new HTTPFacilitatorClient({
        url: `${world.service().baseUrl}/x402`,
        createAuthHeaders: async () => {
          const authorization = { Authorization: `Bearer ${apiKey}` }
          return {
            ...{ verify: authorization, settle: authorization, supported: authorization },
            bazaar: authorization,
          }
        },
      }),
    ).extensions.bazaar

  const offered = async (
    url: string,
    { extensions = declared(), more = {} }: { extensions?: Fields; more?: Fields } = {},
  ): Promise<Purchase> => {
    const purchase = await aPurchase(world)
    const { body } = purchase
    const resource = { url, description: 'The weather of a city', ...more }
    const paymentPayload = { ...body.paymentPayload, resource, extensions }
    return { ...purchase, body: { ...body, paymentPayload } }
  }
  const ask = (path: 'verify' | 'settle', { body }: Purchase) =>
    world.client().post(`/x402/${path}`, body)
  const told = ({ headers }: Reply): unknown => {
    const text = headers.get('extension-responses')
    return text === null ? null : JSON.parse(Buffer.from(text, 'base64').toString())
  }
  const listed = async (url: string) =>
    (await stock().listResources({ limit: 100 })).items.filter(({ resource }) => resource === url)
  const ownOf = async (resource: string, client = world.client()) => {
    const { body } = await client.get('/x402/catalogue')
    return (body['resources'] as Fields[]).filter((each) => each['resource'] === resource)
  }
  /** Waits until it is listed: nobody's answer waits for that. */
  const isListed = (url: string, count = 1, client = world.client()) =>
    until(
      `${url} is listed`,
      async () => {
        const own = await ownOf(url, client)
        return own.some(({ settledCount }) => Number(settledCount) >= count)
      },
      { seconds: 30 },
    )

  test('lists a resource when its payment is settled, never when it is verified', async () => {
    const url = 'http://127.0.0.1:4021/weather'
    const purchase = await offered(`${url}?city=Wien#now`)
    const verified = await ask('verify', purchase)
    expect(verified.body).toMatchObject({ isValid: true })
    expect(told(verified)).toEqual({ bazaar: { status: 'processing' } })
    expect(await listed(url)).toEqual([])

    const settled = await ask('settle', purchase)
    expect(settled.body).toMatchObject({ success: true })
    expect(told(settled)).toEqual({ bazaar: { status: 'processing' } })
    await isListed(url)
    expect(await listed(url)).toEqual([
      {
        resource: url,
        type: 'http',
        x402Version: 2,
        accepts: [purchase.body.paymentRequirements],
        lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        description: 'The weather of a city',
        extensions: declared(),
      },
    ])
    expect(await ownOf(url)).toMatchObject([
      {
        method: 'GET',
        prices: [{ network: EVM, symbol: 'USDC', amount: 0.01, payTo: purchase.payTo }],
        settledCount: 1,
      },
    ])
  })

  test('counts a payment once, however often its seller asks', async () => {
    const url = 'http://127.0.0.1:4021/once'
    const purchase = await offered(url)
    await Promise.all([ask('settle', purchase), ask('settle', purchase)])
    // A success that reached nobody is taken back and given out again.
    await write(
      world.database.store,
      'test_take_back',
      `update settlement_claims set answered_at = null
       where payment_id = (select id from payments where recipient = $1)`,
      [purchase.payTo],
    )
    const again = await ask('settle', purchase)
    expect(again.body).toMatchObject({ success: true })
    expect(told(again)).toEqual({ bazaar: { status: 'processing' } })
    await ask('settle', await offered(url))
    // One after the other: what came before the newest is listed or counted by now.
    await isListed(url, 2)
    const own = await ownOf(url)
    expect(own).toMatchObject([{ settledCount: 2 }])
    // Another receiver is another way to pay.
    expect(own[0]?.['prices']).toHaveLength(2)
  })

  test('has what one account lists apart from what another lists at the same address', async () => {
    const url = 'http://127.0.0.1:4021/shared'
    await ask('settle', await offered(url))
    const other = await anotherAccount(world)
    const more = { description: 'Something else' }
    const { body } = await offered(url, { more })
    expect((await other.post('/x402/settle', body)).body).toMatchObject({ success: true })
    await isListed(url)
    await isListed(url, 1, other)
    expect(await ownOf(url)).toMatchObject([
      { description: 'The weather of a city', settledCount: 1 },
    ])
    expect((await other.get('/x402/catalogue')).body['resources']).toMatchObject([
      { description: 'Something else', settledCount: 1 },
    ])
    const said = (await listed(url)).map(({ description }) => description)
    expect(said.sort()).toEqual(['Something else', 'The weather of a city'])
  })

  test('takes nothing that does not keep to its own schema, and the money moves all the same', async () => {
    const url = 'http://127.0.0.1:4021/wrong'
    const extensions = declared()
    const bazaar = extensions['bazaar'] as { info: { input: Fields } }
    bazaar.info.input = { ...bazaar.info.input, queryParams: { city: 7 } }
    const settled = await ask('settle', await offered(url, { extensions }))
    expect(settled.body).toMatchObject({ success: true })
    expect(told(settled)).toEqual({
      bazaar: { status: 'rejected', rejectedReason: 'schema_mismatch' },
    })
    expect(await listed(url)).toEqual([])
  })

  test('is found by words, pages and filters of the stock client', async () => {
    const url = 'http://127.0.0.1:4021/tides'
    const more = { description: 'Tides of every harbour', tags: ['sea'], serviceName: 'Moon' }
    const purchase = await offered(url, { more })
    await ask('settle', purchase)
    await ask('settle', await offered('http://127.0.0.1:4021/tides/low', { more }))
    await isListed(url)
    await isListed(`${url}/low`)

    const { resources } = await stock().search({
      query: 'when is the tide in a harbor or harbours',
    })
    expect(resources.map(({ resource }) => resource)).toContain(url)
    const first = await stock().search({ query: 'moon', limit: 1 })
    expect(first).toMatchObject({ partialResults: true, pagination: { limit: 1 } })
    const cursor = first.pagination?.cursor ?? ''
    const second = await stock().search({ query: 'moon', limit: 1, cursor })
    expect(second).toMatchObject({ partialResults: false, pagination: { cursor: null } })
    expect(new Set([...first.resources, ...second.resources].map((each) => each.resource))).toEqual(
      new Set([url, `${url}/low`]),
    )

    const total = async (params: object) =>
      (await stock().listResources({ ...params, limit: 1 })).pagination.total
    expect(await total({ payTo: purchase.payTo.toLowerCase() })).toBe(1)
    expect(await total({ payTo: purchase.payTo, network: 'base-sepolia', scheme: 'exact' })).toBe(1)
    expect(await total({ payTo: purchase.payTo, network: 'eip155:1' })).toBe(0)
    expect(await total({ type: 'mcp' })).toBe(0)
    expect(await total({ extensions: 'bazaar', type: 'http' })).toBeGreaterThanOrEqual(2)
    expect(await total({ extensions: 'other' })).toBe(0)
    const all = await total({})
    const last = await stock().listResources({ limit: 1, offset: all - 1 })
    expect(last.items).toHaveLength(1)
    expect((await stock().listResources({ offset: all })).items).toEqual([])
  })

  test('a stock buyer at a stock seller, and at the paywall, is all that a listing takes', async () => {
    const evmKey = `0x${randomBytes(32).toString('hex')}` as const
    await world.sandbox.fund(privateKeyToAccount(evmKey).address, 'USDC', '1')
    const { baseUrl, apiKeys } = world.service()
    const payTo = world.newAddress()
    const seller = { facilitatorUrl: `${baseUrl}/x402`, apiKey: apiKeys.enterprise, payTo }
    const shop = await openShop({
      ...{ ...seller, framework: 'express', network: EVM, price: '$0.01', isListed: true },
    })
    const output = { example: { goods: true } }
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.01', asset: 'USDC', network: EVM, payTo }
    const own = await openPaidShop('express', florin, {
      ...price,
      description: 'Own goods',
      extensions: declareDiscoveryExtension({ output }),
    })
    try {
      for (const { url } of [shop, own]) {
        const [bought] = await buy({ client: 'fetch', evmKey, url, times: 1 })
        expect(bought).toMatchObject({ status: 200, body: { goods: true } })
        await isListed(url)
      }
      // A wallet of ours buys there, too, and the seller is found by its own words as before.
      const order = { walletAddress: walletOf(world, 0), url: shop.url, maxAmount: '0.02' }
      const { body } = await world.client().post('/payment/fetch', order)
      expect(body).toMatchObject({ paid: true, response: { status: 200 } })
      await isListed(shop.url, 2)
      const info = { input: { type: 'http' }, output }
      const item = { type: 'http', accepts: [{ payTo }], extensions: { bazaar: { info } } }
      expect(await listed(shop.url)).toMatchObject([{ ...item, description: 'Goods' }])
      expect(await listed(own.url)).toMatchObject([{ ...item, description: 'Own goods' }])
      expect(await ownOf(shop.url)).toMatchObject([{ method: 'GET', settledCount: 2 }])
      const { items } = await florin.x402.resources({ payTo, limit: 2 })
      expect(items.map(({ resource }) => resource).toSorted()).toEqual(
        [shop.url, own.url].toSorted(),
      )
      const { resources } = await florin.x402.search({ query: 'goods', payTo })
      expect(resources).toHaveLength(2)
    } finally {
      await shop.stop()
      await own.stop()
    }
  })

  test('lists what sellers of version 1 describe in their requirements', async () => {
    const url = 'http://127.0.0.1:4021/v1'
    const { payTo, body } = await aPurchase(world)
    const { amount, ...rest } = body.paymentRequirements
    const outputSchema = {
      input: { type: 'http', method: 'get', queryParams: { city: 'string' }, discoverable: true },
      output: { degrees: 'number' },
    }
    const said = {
      resource: url,
      description: 'Weather',
      mimeType: 'application/json',
      outputSchema,
    }
    const paymentRequirements = {
      ...{ ...rest, ...said, network: 'base-sepolia', maxAmountRequired: amount },
    }
    const { payload } = body.paymentPayload
    const paymentPayload = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }
    const settled = await world
      .client()
      .post('/x402/settle', { x402Version: 1, paymentPayload, paymentRequirements })
    expect(settled.body).toMatchObject({ success: true })
    await isListed(url)
    expect(await listed(url)).toMatchObject([
      {
        x402Version: 1,
        accepts: [{ network: 'base-sepolia', maxAmountRequired: amount, payTo, resource: url }],
        description: 'Weather',
        extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } } } },
      },
    ])
  })

  test('takes out what its seller does not want there, and nothing of another seller', async () => {
    const url = 'http://127.0.0.1:4021/withdrawn?a=1&b'
    const other = await anotherAccount(world)
    const extensions = declared()
    const settled = [
      await ask('settle', await offered(url, { extensions })),
      await other.post('/x402/settle', (await offered(url)).body),
    ]
    expect(settled.map(({ body }) => body['success'])).toEqual([true, true])
    const resource = 'http://127.0.0.1:4021/withdrawn'
    await isListed(resource)
    await isListed(resource, 1, other)
    const take = () =>
      world.client().delete(`/x402/catalogue?resource=${encodeURIComponent(resource)}`)
    expect(await take()).toMatchObject({ status: 200, body: { resource } })
    expect(await take()).toMatchObject({ status: 404 })
    expect(await ownOf(resource)).toEqual([])
    expect(await ownOf(resource, other)).toHaveLength(1)
    expect(await listed(resource)).toHaveLength(1)
    // What is settled later is listed anew.
    await ask('settle', await offered(url))
    await isListed(resource)
  })

  test('needs a key, and is named among the extensions', async () => {
    const { baseUrl, apiKeys } = world.service()
    expect((await fetch(`${baseUrl}/x402/discovery/resources`)).status).toBe(401)
    const { body } = await world.client().get('/x402/supported')
    expect(body['extensions']).toContain('bazaar')
    await expect(stock('florin_test_none').listResources()).rejects.toThrow(/401/)
    expect((await stock(apiKeys.standard).listResources()).x402Version).toBe(2)
  })
})
