import { Florin } from '@florin/sdk'
import type { PaywallSettings } from '@florin/sdk'
import { limits } from '@florin/server/kernel/limits.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openClient } from './actors/client.ts'
import type { Asked } from './actors/odd-seller.ts'
import { demandV2, hand, openOddSeller, takeMoney } from './actors/odd-seller.ts'
import { FRAMEWORKS, openPaidShop } from './actors/paid-shop.ts'
import type { PaidShop } from './actors/paid-shop.ts'
import { aStranger, EVM } from './actors/seller.ts'
import { SOLANA } from './actors/solana-purchase.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const NETWORKS = { evm: EVM, solana: SOLANA } as const satisfies Record<Family, string>
const CASES = [
  ['evm', FRAMEWORKS[0]],
  ['solana', FRAMEWORKS[1]],
  ['evm', FRAMEWORKS[2]],
] as const

describe('a wallet of the service pays a seller in one call', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  async function shopOn(
    family: Family,
    framework: (typeof FRAMEWORKS)[number],
    settings: PaywallSettings = {},
  ) {
    const payTo = world.newAddress(family)
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.01', asset: 'USDC', network: NETWORKS[family], payTo }
    const shop: PaidShop = await openPaidShop(framework, florin, { ...price, ...settings })
    return { shop, payTo }
  }

  test('cookies that a seller sets are told one by one, also when its kept answer is told again', async () => {
    const { terms } = await termsOf(world, 'evm')
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Path=/']
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [terms])
      answer.setHeader('set-cookie', cookies)
      return hand(answer, (await takeMoney(world, asked, terms)) ? 200 : 502)
    })
    try {
      const order = { walletAddress: walletOf(world, 0), url: seller.url, maxAmount: '0.02' }
      for (let time = 0; time < 2; time += 1) {
        const key = { 'idempotency-key': 'cookies' }
        const { body } = await world.client().post('/payment/fetch', order, key)
        const headers = { 'set-cookie': cookies.join(', ') }
        expect(body).toMatchObject({ response: { status: 200, headers, setCookies: cookies } })
      }
      expect(seller.paid()).toHaveLength(1)
    } finally {
      await seller.stop()
    }
  })

  test('a seller that takes payments with a name only is paid', async () => {
    const { shop } = await shopOn('evm', 'express', { paymentIdentifier: 'required' })
    try {
      const order = { walletAddress: walletOf(world, 0), url: shop.url, maxAmount: '0.02' }
      const { body } = await world.client().post('/payment/fetch', order)
      expect(body).toMatchObject({ response: { status: 200, body: '{"goods":true}' } })
      const rows = await world.database.store.query<{ identifier: string }>(
        'test_names',
        'select identifier from payment_identifiers',
      )
      expect(rows).toContainEqual({ identifier: body['paymentId'] })
    } finally {
      await shop.stop()
    }
  })

  test.each(CASES)(
    'on %s, behind %s: the goods come, and the chain shows the payment',
    async (family, framework) => {
      const { shop, payTo } = await shopOn(family, framework)
      const walletAddress = walletOf(world, 0, family)
      const before = await world.balanceOf(walletAddress, 'USDC')
      try {
        const { status, body } = await world
          .client()
          .post('/payment/fetch', { walletAddress, url: shop.url, maxAmount: '0.02' })
        expect({ status, body }).toMatchObject({
          status: 200,
          body: {
            amount: 0.01,
            response: { status: 200, body: '{"goods":true}', bodyEncoding: 'utf8' },
          },
        })
        expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
        expect(await world.balanceOf(walletAddress, 'USDC')).toBe(before - 10_000n)
        const { paymentId } = body as { paymentId: string }
        await until(
          'the payment is settled',
          async () => {
            const record = await world.client().get(`/payment/status/${paymentId}`)
            return (record.body as { status: string }).status === 'settled'
          },
          { seconds: 100 },
        )
      } finally {
        await shop.stop()
      }
    },
  )

  /** Waits for the chain to decide. */
  const becomes = (paymentId: unknown, status: string) =>
    until(
      `the payment is ${status}`,
      async () =>
        (await world.client().get(`/payment/status/${String(paymentId)}`)).body['status'] ===
        status,
      { seconds: 100 },
    )
  const buy = (url: string, key?: string, more: object = {}) =>
    world
      .client()
      .post(
        '/payment/fetch',
        { walletAddress: walletOf(world, 1), url, maxAmount: '0.01', ...more },
        key === undefined ? {} : { 'idempotency-key': key },
      )

  test('money taken and the answer lost, or an error given: paid once, and the goods come for the same payment', async () => {
    for (const fails of [(asked: Asked) => asked, null]) {
      const { terms, payTo } = await termsOf(world, 'evm')
      const seller = await openOddSeller(async (asked, answer) => {
        if (asked.payment === null) return demandV2(answer, [terms])
        if (seller.paid().length > 1) return hand(answer, 200)
        await takeMoney(world, asked, terms)
        if (fails === null) hand(answer, 500)
        else answer.destroy()
      })
      try {
        const key = `taken-${payTo}`
        const first = await buy(seller.url, key)
        expect(first.status).toBe(200)
        expect(first.body['paid']).not.toBe(false)
        await becomes(first.body['paymentId'], 'settled')
        const again = await buy(seller.url, key)
        expect(again.body).toMatchObject({
          paid: true,
          paymentId: first.body['paymentId'],
          response: { status: 200, body: '{"goods":true}' },
        })
        const once = await buy(seller.url, key)
        expect(once.body).toMatchObject({ response: { status: 200 } })
        expect(seller.paid()).toHaveLength(2)
        expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
      } finally {
        await seller.stop()
      }
    }
  })

  test('an authorization that somebody else uses later is found by its effect', async () => {
    const { terms, payTo } = await termsOf(world, 'evm')
    const seller = await openOddSeller((_, answer) => demandV2(answer, [terms]))
    try {
      const { body } = await buy(seller.url)
      expect(body).toMatchObject({ paid: 'unknown' })
      const [shown] = seller.paid()
      const paymentPayload = shown?.payment ?? {}
      const used = { x402Version: 2, paymentPayload, paymentRequirements: { ...terms } } as const
      const hash = await (await aStranger(world))({ body: used })
      await becomes(body['paymentId'], 'settled')
      const record = await world.client().get(`/payment/status/${String(body['paymentId'])}`)
      expect(record.body).toMatchObject({ signature: hash, recipient: payTo })
    } finally {
      await seller.stop()
    }
  })

  test('what a seller gives away takes no room from what comes after', async () => {
    const seller = await openOddSeller((_, answer) => hand(answer, 200))
    try {
      for (let asked = 0; asked <= limits.fetchRequestsPerAccountMax; asked += 1) {
        const { body } = await buy(seller.url)
        expect(body).toMatchObject({ paid: false, response: { status: 200 } })
      }
    } finally {
      await seller.stop()
    }
  })

  test('purchases that their seller’s memo makes the same to the letter are signed in blocks of their own', async () => {
    const { terms, payTo } = await termsOf(world, 'solana')
    const asked = { ...terms, extra: { ...terms.extra, memo: 'all of one order' } }
    const seller = await openOddSeller(async (each, answer) => {
      if (each.payment === null) return demandV2(answer, [asked])
      hand(answer, (await takeMoney(world, each, asked)) ? 200 : 409)
    })
    const walletAddress = walletOf(world, 0, 'solana')
    try {
      const replies = await Promise.all(
        ['a', 'b', 'c'].map((page) =>
          world.client().post('/payment/fetch', {
            ...{ walletAddress, url: `${seller.url}/${page}`, maxAmount: '0.01' },
          }),
        ),
      )
      for (const reply of replies) {
        expect(reply).toMatchObject({ status: 200, body: { response: { status: 200 } } })
      }
      expect(new Set(replies.map(({ body }) => body['paymentId'])).size).toBe(3)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(530_000n)
    } finally {
      await seller.stop()
    }
  })

  test('the same request of two instances at once signs once', async () => {
    const { terms, payTo } = await termsOf(world, 'evm')
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [terms])
      hand(answer, (await takeMoney(world, asked, terms)) ? 200 : 409)
    })
    const one = world.service()
    const two = await world.start()
    const first = openClient(one.baseUrl, one.apiKeys.enterprise)
    const second = openClient(two.baseUrl, two.apiKeys.enterprise)
    try {
      const order = { walletAddress: walletOf(world), url: seller.url, maxAmount: '0.01' }
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 === 0 ? first : second).post('/payment/fetch', order, {
            'idempotency-key': 'pair',
          }),
        ),
      )
      for (const reply of replies) {
        expect(reply).toMatchObject({ status: 200, body: { response: { status: 200 } } })
      }
      expect(new Set(replies.map((reply) => reply.body['paymentId'])).size).toBe(1)
      expect(seller.paid()).toHaveLength(1)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(510_000n)
      const other = await buy(seller.url, 'pair')
      expect({ status: other.status, code: codeOf(other) }).toEqual({
        status: 422,
        code: 'IDEMPOTENCY_MISMATCH',
      })
    } finally {
      await seller.stop()
    }
  })

  test('what is bought for one user of the caller is no answer for another', async () => {
    const { terms } = await termsOf(world, 'evm')
    const isLet = Promise.withResolvers<void>()
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [terms])
      await isLet.promise
      hand(answer, (await takeMoney(world, asked, terms)) ? 200 : 409)
    })
    try {
      const forUser = (name: string) =>
        buy(seller.url, undefined, { headers: { authorization: name } })
      const buying = ['ann', 'bob', 'ann'].map(forUser)
      await until('both are at it', () => seller.paid().length === 2, { seconds: 30 })
      isLet.resolve()
      const replies = await Promise.all(buying)
      const [ann, bob, again] = replies.map(({ body }) => body['paymentId'])
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
      expect([ann === bob, ann === again]).toEqual([false, true])
      expect(seller.paid()).toHaveLength(2)
    } finally {
      isLet.resolve()
      await seller.stop()
    }
  })

  test('a wallet without the money signs nothing, and our own doors are nobody to buy from', async () => {
    const { terms } = await termsOf(world, 'evm')
    const seller = await openOddSeller((_, answer) => demandV2(answer, [terms]))
    try {
      const created = await world.client().post('/wallets', { family: 'evm' })
      const poor = { walletAddress: created.body['address'] }
      expect(codeOf(await buy(seller.url, 'poor', poor))).toBe('INSUFFICIENT_BALANCE')
      expect(seller.paid()).toEqual([])
      const odd = await buy(seller.url, 'odd', { headers: { host: 'x' } })
      expect(odd.body).toMatchObject({ error: { details: { headers: expect.any(String) } } })
    } finally {
      await seller.stop()
    }
    const { baseUrl } = world.service()
    const doors = [`${baseUrl}/health/live`, world.sandbox.rpcUrl, world.database.url.reveal()]
    for (const door of doors) {
      const url = door.replace(/^postgres(ql)?:\/\/[^@]*@?/, 'http://')
      const refused = await buy(url)
      expect({ status: refused.status, code: codeOf(refused) }).toEqual({
        status: 400,
        code: 'INVALID_PARAMETERS',
      })
    }
  })
})
