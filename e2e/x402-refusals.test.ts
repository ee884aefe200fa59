import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import {
  anotherAccount,
  encoded,
  headerOf,
  receive,
  receiving,
  RESOURCE,
} from './actors/receiver.ts'
import { aPurchase, EVM, PRICE } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const FUZZED = 200
const ZERO = '0x0000000000000000000000000000000000000000'
/** The first example of EIP-55 with one letter in the wrong case. Of an address by chance, one capital alone may be right. */
const MISSPELT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'

describe('what is not received', () => {
  let world: World
  let other: Client
  beforeAll(async () => {
    world = await openWorld()
    other = await anotherAccount(world)
  })
  afterAll(() => world.stop())

  const call = (body: Fields) => receive(world.client(), body)
  const verdict = (reply: Reply) =>
    reply.status === 200 ? '200' : `${reply.status} ${String(codeOf(reply))}`
  const balance = ({ payTo }: Purchase) => world.balanceOf(payTo, 'USDC')

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
        [{ walletAddress: MISSPELT }, '400 INVALID_RECIPIENT', 'walletAddress'],
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
      const own = { facilitatorUrl: `${world.service().baseUrl}/api/x402/` }
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
})
