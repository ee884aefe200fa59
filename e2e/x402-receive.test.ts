import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '@florin/server/kernel/random.ts'
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

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const FUZZED = 200
const ZERO = '0x0000000000000000000000000000000000000000'

describe('POST /payment/receive', () => {
  let world: World
  let other: Client
  beforeAll(async () => {
    world = await openWorld({ solana: true, logLevel: 'info' })
    other = await anotherAccount(world)
  }, 60_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 90_000)

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
      { seconds: 20 },
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
        await until('a success was said to nobody', () => unheard().length > before, { seconds: 5 })
        await until('it is to be had', async () => verdict(await call(body, then)) === '200', {
          seconds: 5,
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
        { seconds: 20 },
      )
      expect(await balance(purchase)).toBe(PRICE)
    })

    test('what a stranger submitted is received as well', async () => {
      const purchase = await aPurchase(world)
      const hash = await submitElsewhere(world, purchase)
      await until('it is paid', async () => (await balance(purchase)) === PRICE, { seconds: 10 })
      expect((await call(receiving(purchase))).body).toMatchObject({
        success: true,
        signature: hash,
      })
    })
  })

  describe('a refusal', () => {
    const refused = async (body: Fields, code: string, reason?: string) => {
      const reply = await call(body)
      expect([verdict(reply), detailsOf(reply)['reason']]).toEqual([code, reason])
    }
    const CHANGES: readonly (readonly [string, Fields, string, string])[] = [
      [
        'another amount',
        { expectedAmount: '0.02' },
        '400 PAYMENT_VERIFICATION_FAILED',
        'value_mismatch',
      ],
      [
        'another recipient',
        { walletAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
        '400 INVALID_RECIPIENT',
        'recipient_mismatch',
      ],
      ['the zero address', { walletAddress: ZERO }, '400 INVALID_RECIPIENT', 'recipient_mismatch'],
    ]
    test.each(CHANGES)('of %s', async (_, change, code, reason) => {
      const purchase = await aPurchase(world)
      const reply = await call(receiving(purchase, change))
      expect([verdict(reply), String(detailsOf(reply)['reason'])]).toEqual([
        code,
        expect.stringContaining(reason),
      ])
      // Whatever was refused has claimed nothing.
      expect(verdict(await call(receiving(purchase)))).toBe('200')
    })

    test('of what the seller itself got wrong names the field', async () => {
      const purchase = await aPurchase(world)
      const cases: readonly (readonly [Fields, string, string])[] = [
        [{ walletAddress: 'nobody' }, '400 INVALID_RECIPIENT', 'walletAddress'],
        [
          { walletAddress: purchase.payTo.toLowerCase().replace(/[a-f]/, (c) => c.toUpperCase()) },
          '400 INVALID_RECIPIENT',
          'walletAddress',
        ],
        [{ expectedAmount: '0.0000001' }, '400 INVALID_PARAMETERS', 'expectedAmount'],
        [{ expectedAmount: 0 }, '400 INVALID_PARAMETERS', 'expectedAmount'],
        [{ network: 'eip155:1' }, '400 UNSUPPORTED_NETWORK', 'network'],
        [{ asset: 'DAI' }, '400 UNSUPPORTED_ASSET', 'asset'],
        [
          { facilitatorUrl: 'https://facilitator.example/x402' },
          '400 INVALID_PARAMETERS',
          'facilitatorUrl',
        ],
        [{ facilitatorUrl: 'http://127.0.0.1:1/x402' }, '400 INVALID_PARAMETERS', 'facilitatorUrl'],
        [{ timeout: 61 }, '400 INVALID_PARAMETERS', 'timeout'],
      ]
      for (const [change, code, field] of cases) {
        const reply = await call(receiving(purchase, change))
        expect([verdict(reply), Object.keys(detailsOf(reply))]).toEqual([code, [field]])
      }
      const own = { facilitatorUrl: `${world.service().baseUrl}/x402/` }
      expect(verdict(await call(receiving(purchase, own)))).toBe('200')
    })

    test('of a proof for something else, a forged, a late and an unfunded one', async () => {
      const purchase = await aPurchase(world)
      const elsewhere = headerOf(purchase, 2, { resource: { url: RESOURCE } })
      await refused(
        receiving(purchase, { paymentProof: elsewhere, resource: 'https://shop.example/b' }),
        '400 PAYMENT_VERIFICATION_FAILED',
        'resource_mismatch',
      )
      const late = await aPurchase(world, { validBefore: 1_700_000_000n })
      await refused(
        receiving(late),
        '400 INVALID_PAYMENT_PROOF',
        'invalid_exact_evm_payload_authorization_valid_before',
      )
      const dear = await aPurchase(world, { amount: 5_000_000n })
      await refused(
        receiving(dear, { expectedAmount: 5 }),
        '400 INSUFFICIENT_BALANCE',
        'invalid_exact_evm_insufficient_balance',
      )
      const forged = await aPurchase(world, { domain: { name: 'USDC', version: '1' } })
      await refused(receiving(forged), '400 INVALID_PAYMENT_PROOF', 'invalid_exact_evm_signature')
    })

    test('of money to oneself, to the token and to nobody is of the recipient', async () => {
      const token = world.sandbox.usdc
      for (const to of [ZERO, token]) {
        const purchase = await aPurchase(world, { to: to as Purchase['payTo'] })
        await refused(
          receiving(purchase, { walletAddress: to }),
          '400 INVALID_RECIPIENT',
          'invalid_exact_evm_recipient_mismatch',
        )
      }
      const { payer, ...rest } = await aPurchase(world)
      const asset = {
        symbol: 'USDC',
        asset: token,
        decimals: 6,
        takesCommitment: true,
        domain: { name: 'USDC', version: '2' },
      }
      const payload = await payer.authorize({ asset, to: payer.address, amount: PRICE })
      const self = {
        ...rest,
        payer,
        payTo: payer.address,
        body: { ...rest.body, paymentPayload: { ...rest.body.paymentPayload, payload } },
      }
      await refused(
        receiving(self),
        '400 INVALID_RECIPIENT',
        'invalid_exact_evm_recipient_mismatch',
      )
    })

    test('is all that garbage gets', async () => {
      const purchase = await aPurchase(world)
      expect(verdict(await call(receiving(purchase)))).toBe('200')
      const proof = headerOf(purchase)
      const header: Fields = purchase.body.paymentPayload
      const bitten = fc
        .tuple(fc.nat(proof.length - 2), fc.string({ maxLength: 3 }))
        .map(([at, put]) => proof.slice(0, at) + put + proof.slice(at + 1))
      const bent = fc.tuple(fc.nat(30), fc.jsonValue()).map(([at, value]) => {
        let seen = 0
        const text = JSON.stringify(header, (_, old: unknown) =>
          (seen += 1) === at + 2 ? value : old,
        )
        return Buffer.from(text).toString('base64')
      })
      const wild = fc.jsonValue().map((value) => encoded(value))
      const nested = fc.constant(Buffer.from('['.repeat(10_000)).toString('base64'))
      const proofs = fc.sample(fc.oneof(bitten, bent, wild, fc.string({ minLength: 1 }), nested), {
        numRuns: FUZZED,
        seed: SEED,
      })
      const replies = await Promise.all(
        proofs.map((paymentProof) => call(receiving(purchase, { paymentProof, timeout: 5 }))),
      )
      const odd = replies.flatMap((reply, index) =>
        [400, 409].includes(reply.status) ? [] : [`${verdict(reply)} for ${proofs[index] ?? ''}`],
      )
      expect(odd, `seed ${SEED}`).toEqual([])
      expect(await balance(purchase)).toBe(PRICE)
    })
  })

  describe('POST /v1/payments/verify', () => {
    const verify = (client: Client, purchase: Purchase, more: Fields = {}) =>
      client.post('/v1/payments/verify', {
        payment_proof: headerOf(purchase),
        amount: '0.01',
        recipient: purchase.payTo,
        ...more,
      })

    test('says whether it would settle, and moves nothing', async () => {
      const purchase = await aPurchase(world)
      const good = await verify(world.client(), purchase)
      const facts = {
        amount: 0.01,
        recipient: purchase.payTo,
        network: EVM,
        asset: world.sandbox.usdc,
      }
      const payer = purchase.payer.address
      expect(good.body).toMatchObject({ success: true, valid: true, payer, ...facts })
      const bad = await verify(world.client(), purchase, { amount: '0.02' })
      expect(bad.body).toMatchObject({
        valid: false,
        reason: 'invalid_exact_evm_payload_authorization_value_mismatch',
      })
      const garbage = await verify(world.client(), purchase, { payment_proof: 'eA==' })
      expect(garbage.body).toMatchObject({ valid: false, reason: 'invalid_payload', network: EVM })
      expect(await balance(purchase)).toBe(0n)
      const settled = await call(receiving(purchase))
      const { paymentId } = settled.body
      const after = await verify(world.client(), purchase)
      expect(after.body).toMatchObject({ valid: false, reason: 'duplicate_settlement', paymentId })
      const foreign = await verify(other, purchase)
      expect(foreign.body).toMatchObject({ valid: false, reason: 'duplicate_settlement' })
      expect(foreign.body).not.toHaveProperty('paymentId')
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
