import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  generatePaymentId,
} from '@x402/extensions/payment-identifier'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { TestPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { anotherAccount, receive, receiving } from './actors/receiver.ts'
import { PRICE, purchaseFrom, settle } from './actors/seller.ts'
import type { Purchase } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

describe('a payment with a name', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())

  const newPayer = async (): Promise<TestPayer> => {
    const payer = testPayer()
    await world.sandbox.fund(payer.address, 'USDC', '1')
    return payer
  }
  const named = async (payer: TestPayer, id?: string): Promise<Purchase> => {
    const purchase = await purchaseFrom(world, payer)
    const extensions = appendPaymentIdentifierToExtensions(
      { 'payment-identifier': declarePaymentIdentifierExtension() },
      id,
    )
    // The stock helper takes any name that is one; what is none is written past it.
    const { body } = purchase
    return {
      ...purchase,
      body: { ...body, paymentPayload: { ...body.paymentPayload, extensions } },
    }
  }
  const reasonOf = ({ body }: Reply) =>
    body['success'] === true ? 'success' : String(body['errorReason'])
  const paidTo = ({ payTo }: Purchase) => world.balanceOf(payTo, 'USDC')

  test('is settled once, and another of the same payer under the same name is not', async () => {
    const [payer, id] = [await newPayer(), generatePaymentId()]
    const [first, second] = [await named(payer, id), await named(payer, id)]
    expect(reasonOf(await settle(world, first))).toBe('success')
    // The name gives nobody a second success.
    expect(reasonOf(await settle(world, first))).toBe('duplicate_settlement')
    const verified = await world.client().post('/x402/verify', second.body)
    expect(verified.body).toMatchObject({
      isValid: false,
      invalidReason: 'payment_identifier_conflict',
    })
    const refused = await settle(world, second)
    expect(refused.body).toMatchObject({
      success: false,
      errorReason: 'payment_identifier_conflict',
      transaction: '',
    })
    const received = await receive(world.client(), receiving(second))
    expect([received.status, codeOf(received), detailsOf(received)['reason']]).toEqual([
      409,
      'DUPLICATE_SETTLEMENT',
      'payment_identifier_conflict',
    ])
    expect(await paidTo(second)).toBe(0n)
  })

  test('of eight payments under one name that come at the same moment, one is settled', async () => {
    const [payer, id] = [await newPayer(), generatePaymentId()]
    const purchases = await Promise.all(Array.from({ length: 8 }, () => named(payer, id)))
    const reasons = (await Promise.all(purchases.map((each) => settle(world, each)))).map(reasonOf)
    expect(reasons.sort()).toEqual([
      ...Array.from({ length: 7 }, () => 'payment_identifier_conflict'),
      'success',
    ])
    const paid = await Promise.all(purchases.map(paidTo))
    expect(paid.reduce((sum, each) => sum + each)).toBe(PRICE)
  })

  test('a name is its payer’s and its seller’s alone', async () => {
    const id = generatePaymentId()
    const [one, other] = [await newPayer(), await newPayer()]
    expect(reasonOf(await settle(world, await named(one, id)))).toBe('success')
    expect(reasonOf(await settle(world, await named(other, id)))).toBe('success')
    const elsewhere = await anotherAccount(world)
    const { body } = await named(one, id)
    expect(reasonOf(await elsewhere.post('/x402/settle', body))).toBe('success')
  })

  test('a refused payment leaves its name to the next', async () => {
    const [payer, id] = [testPayer(), generatePaymentId()]
    expect(reasonOf(await settle(world, await named(payer, id)))).toBe(
      'invalid_exact_evm_insufficient_balance',
    )
    await world.sandbox.fund(payer.address, 'USDC', '1')
    expect(reasonOf(await settle(world, await named(payer, id)))).toBe('success')
  })

  test.each(['short', 'x'.repeat(129), 'with spaces in its name', 7])(
    'the name %j is none',
    async (id) => {
      const purchase = await named(await newPayer())
      const extensions = { 'payment-identifier': { info: { required: false, id } } }
      const { body } = purchase
      const paymentPayload = { ...body.paymentPayload, extensions }
      const reply = await world.client().post('/x402/settle', { ...body, paymentPayload })
      expect(reasonOf(reply)).toBe('invalid_payload')
    },
  )
})
