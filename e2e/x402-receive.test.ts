import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import {
  anotherAccount,
  askAndLeave,
  encoded,
  headerOf,
  receive,
  receiving,
  RESOURCE,
} from './actors/receiver.ts'
import { aPurchase, EVM, PRICE, submitElsewhere } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import { aSolanaPurchase, SOLANA } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

describe('POST /payment/receive', () => {
  let world: World
  let other: Client
  beforeAll(async () => {
    world = await openWorld({ solana: true, logLevel: 'info' })
    other = await anotherAccount(world)
  }, 240_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 240_000)

  const call = (body: Fields, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    receive(world.client(), body, headers, signal)
  const verdict = (reply: Reply) =>
    reply.status === 200 ? '200' : `${reply.status} ${String(codeOf(reply))}`
  const balance = ({ payTo }: { payTo: string }) => world.balanceOf(payTo, 'USDC')
  /** It is deep enough on chain, and nobody was told. */
  const isReleased = ({ payTo }: Purchase) =>
    until(
      'it is released',
      async () => {
        const rows = await world.database.store.query(
          'test_released',
          `select from payments where recipient = $1 and type = 'received' and status = 'settled'`,
          [payTo],
        )
        return rows.length === 1
      },
      { seconds: 60 },
    )
  /** What the service logged of successes whose connection was gone. */
  const unheard = () =>
    world
      .service()
      .log.filter((line) => /"route":"\/payment\/receive".*"status":200.*"isGone":true/.test(line))

  describe('a success', () => {
    test.each([1, 2] as const)('is what the chain shows, in version %i', async (version) => {
      const purchase = await aPurchase(world)
      const reply = await call(receiving(purchase, { paymentProof: headerOf(purchase, version) }))
      expect(reply.body).toMatchObject({
        success: true,
        verified: true,
        network: EVM,
        asset: world.sandbox.usdc,
        amount: 0.01,
        amountBaseUnits: `${PRICE}`,
        sender: purchase.payer.address,
        recipient: purchase.payTo,
        facilitator: `${world.service().baseUrl}/x402`,
        resource: null,
      })
      const response: unknown = JSON.parse(atob(String(reply.body['paymentResponse'])))
      expect(response).toMatchObject({
        success: true,
        transaction: reply.body['signature'],
        payer: purchase.payer.address,
        network: version === 1 ? 'base-sepolia' : EVM,
      })
      expect(await balance(purchase)).toBe(PRICE)
    })

    test.each([1, 2] as const)(
      'on Solana names the mint that moved, in version %i',
      async (version) => {
        const purchase = await aSolanaPurchase(world)
        const before = await balance(purchase)
        const { payload } = purchase.body.paymentPayload
        const v1 = { x402Version: 1, scheme: 'exact', network: 'solana-devnet', payload }
        const paymentProof = encoded(version === 1 ? v1 : purchase.body.paymentPayload)
        const reply = await call({
          walletAddress: purchase.payTo,
          paymentProof,
          expectedAmount: 0.01,
        })
        expect(reply.body).toMatchObject({
          success: true,
          network: SOLANA,
          asset: world.sandbox.solana.usdc,
        })
        expect(await balance(purchase)).toBe(before + PRICE)
      },
    )

    test('is given once among many who ask at once, however the proof is spelled', async () => {
      const purchase = await aPurchase(world)
      const proof = headerOf(purchase)
      const spaced = Buffer.from(JSON.stringify(purchase.body.paymentPayload, null, 2))
      const spellings = [
        proof,
        proof.replace(/=+$/, ''),
        proof.replaceAll('+', '-').replaceAll('/', '_'),
        ` ${proof} `,
        spaced.toString('base64'),
        spaced.toString('base64url'),
        headerOf(purchase, 2, { somethingElse: 1 }),
        headerOf(purchase, 1),
      ]
      const replies = await Promise.all(
        [...spellings, ...spellings].map((paymentProof) =>
          call(receiving(purchase, { paymentProof })),
        ),
      )
      expect(replies.map(verdict).toSorted()).toEqual([
        '200',
        ...Array.from({ length: 15 }, () => '409 DUPLICATE_SETTLEMENT'),
      ])
      expect(await balance(purchase)).toBe(PRICE)
    })

    test('is told to its owner again as a duplicate, and to nobody else', async () => {
      const purchase = await aPurchase(world)
      const first = await call(receiving(purchase, { resource: RESOURCE }))
      const again = await call(receiving(purchase, { resource: RESOURCE }))
      expect(verdict(again)).toBe('409 DUPLICATE_SETTLEMENT')
      expect(detailsOf(again)).toEqual({
        reason: 'duplicate_settlement',
        paymentId: first.body['paymentId'],
        signature: first.body['signature'],
        status: expect.any(String) as unknown,
        firstAnsweredAt: expect.any(Number) as unknown,
      })
      const bare = { reason: 'duplicate_settlement' }
      const otherTerms = receiving(purchase, { resource: 'https://shop.example/else' })
      for (const reply of [
        await call(otherTerms),
        await receive(other, receiving(purchase, { resource: RESOURCE })),
      ]) {
        expect([verdict(reply), detailsOf(reply)]).toEqual(['409 DUPLICATE_SETTLEMENT', bare])
      }
      expect(await balance(purchase)).toBe(PRICE)
    })

    test('that reached nobody is there for the same call, once, with its key and without', async () => {
      const key = (name: string) => ({ 'idempotency-key': name })
      const cases: readonly (readonly [Record<string, string>, Record<string, string>])[] = [
        [{}, {}],
        [key('till-2'), key('till-2')],
        [key('till-3'), {}],
      ]
      const begun = await Promise.all(
        cases.map(async (asked) => {
          const purchase = await aPurchase(world)
          await call(receiving(purchase, { timeout: 0 }))
          await isReleased(purchase)
          return { purchase, asked }
        }),
      )
      for (const { purchase, asked } of begun) {
        const body = receiving(purchase)
        const [first, then] = asked
        const before = unheard().length
        await askAndLeave(world, '/payment/receive', body, first)
        await until('a success was said to nobody', () => unheard().length > before, {
          seconds: 30,
        })
        await until('it is to be had', async () => verdict(await call(body, then)) === '200', {
          seconds: 30,
        })
        expect(verdict(await call(body))).toBe('409 DUPLICATE_SETTLEMENT')
        expect(await balance(purchase)).toBe(PRICE)
      }
    })

    test('belongs to its key for ever, under every spelling of the path', async () => {
      const purchase = await aPurchase(world)
      const key = { 'idempotency-key': 'till-1' }
      const body = receiving(purchase)
      const all = await Promise.all(Array.from({ length: 8 }, () => call(body, key)))
      expect(new Set(all.map(verdict))).toEqual(new Set(['200']))
      expect(all.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(
        1,
      )
      const again = await world.client().post('/api/payment/receive', body, key)
      const { timestamp: _, status, ...facts } = again.body
      expect(all[0]?.body).toMatchObject(facts)
      expect(['confirmed', 'settled']).toContain(status)
      expect(verdict(await call(body))).toBe('409 DUPLICATE_SETTLEMENT')
      expect(verdict(await call({ ...body, timeout: 3 }, key))).toBe('422 IDEMPOTENCY_MISMATCH')
      expect(await balance(purchase)).toBe(PRICE)
    })
  })

  describe('an open outcome', () => {
    test('is pending with its names, and is joined by proof and by payment id', async () => {
      const purchase = await aPurchase(world)
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const pending = await call(receiving(purchase, { timeout: 1 }))
      expect(verdict(pending)).toBe('503 SETTLEMENT_PENDING')
      expect(Number(pending.headers.get('retry-after'))).toBeGreaterThan(0)
      const { paymentId, signature, reason } = detailsOf(pending)
      expect(reason).toBe('settlement_pending')
      expect(signature).toMatch(/^0x[0-9a-f]{64}$/)
      const foreign = await other.post('/payment/settle', { paymentId })
      expect(verdict(foreign)).toBe('404 NOT_FOUND')
      const joining = world.client().post('/v1/payments/settle', { paymentId })
      await world.sandbox.fault({ kind: 'resume-blocks' })
      const joined = await joining
      expect(joined.body).toMatchObject({ success: true, paymentId, signature })
      const repeat = await world.client().post('/payment/settle', receiving(purchase))
      expect(verdict(repeat)).toBe('409 DUPLICATE_SETTLEMENT')
    })

    test('a node that is down is nobody’s fault, and claims nothing', async () => {
      const purchase = await aPurchase(world)
      await world.sandbox.fault({ kind: 'down', how: 'http-500' })
      const reply = await call(receiving(purchase, { timeout: 2 }))
      expect(verdict(reply)).toBe('503 NETWORK_ERROR')
      await world.sandbox.clearFaults()
      await until(
        'the node is back',
        async () => verdict(await call(receiving(purchase))) === '200',
        { seconds: 60 },
      )
      expect(await balance(purchase)).toBe(PRICE)
    })

    test('what a stranger submitted is received as well', async () => {
      const purchase = await aPurchase(world)
      const hash = await submitElsewhere(world, purchase)
      await until('it is paid', async () => (await balance(purchase)) === PRICE, { seconds: 30 })
      expect((await call(receiving(purchase))).body).toMatchObject({
        success: true,
        signature: hash,
      })
    })
  })

  describe('POST /payment/settle', () => {
    test('wants the proof with its terms, or a payment id alone', async () => {
      const missing = await world.client().post('/payment/settle', {})
      expect(Object.keys(detailsOf(missing))).toEqual([
        'walletAddress',
        'paymentProof',
        'expectedAmount',
      ])
      const both = { paymentId: 'pay_7Jw3Kq9TnXv5BzRm2LdYcH', network: EVM }
      expect(Object.keys(detailsOf(await world.client().post('/payment/settle', both)))).toEqual([
        'network',
      ])
    })
  })
})
