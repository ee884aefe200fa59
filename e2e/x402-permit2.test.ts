import { declareDiscoveryExtension } from '@x402/extensions/bazaar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { codeOf } from './actors/client.ts'
import type { Reply } from './actors/client.ts'
import { aPermit2Buyer, charging } from './actors/permit2-buyer.ts'
import { authorizationOf, invalidation, revertFirst, settlingCall } from './actors/permit2-calls.ts'
import { encoded, receive } from './actors/receiver.ts'
import { evmCustodian, transactionOf } from './actors/self-custodian.ts'
import { offerOf, PRICE, settle } from './actors/seller.ts'
import type { SettleBody } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const PROXY = '0x402085c248EeA27D92E8b30b2C58ed07f9E20001'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const USDC_ONE = 1_000_000n

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

function verify({ body }: SettleBody): Promise<Reply> {
  return world.client().post('/x402/verify', body)
}

function receiveIt({ body, payTo }: SettleBody): Promise<Reply> {
  return receive(world.client(), {
    walletAddress: payTo,
    paymentProof: encoded(body.paymentPayload),
    expectedAmount: 0.01,
    timeout: 20,
  })
}

test('the service says what it takes', async () => {
  const { body } = await world.client().get('/x402/supported')
  expect(body['extensions']).toContain('eip2612GasSponsoring')
  expect(body['kinds']).toContainEqual({
    x402Version: 2,
    scheme: 'upto',
    network: 'eip155:84532',
    extra: { facilitatorAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as unknown },
  })
})

describe('exact by Permit2, with what the stock client signs', () => {
  test.each(['warm', 'cold'] as const)(
    'a %s wallet pays once, and once it is told',
    async (kind) => {
      const buyer = await aPermit2Buyer(world, kind)
      const purchase = await buyer.pay()
      expect((await verify(purchase)).body).toEqual({ isValid: true, payer: buyer.address })
      const replies = await Promise.all(Array.from({ length: 5 }, () => settle(world, purchase)))
      const successes = replies.filter(({ body }) => body['success'] === true)
      expect(successes).toHaveLength(1)
      expect(successes[0]?.body).toMatchObject({ payer: buyer.address, amount: `${PRICE}` })
      expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
      expect(await world.balanceOf(buyer.address, 'USDC')).toBe(USDC_ONE - PRICE)
      expect((await verify(purchase)).body).toMatchObject({
        isValid: false,
        invalidReason: 'permit2_invalid_nonce',
      })
      expect((await settle(world, purchase)).body).toMatchObject({
        success: false,
        errorReason: 'duplicate_settlement',
      })
    },
  )

  test('pays over the receiving API as well', async () => {
    const purchase = await (await aPermit2Buyer(world, 'cold')).pay()
    expect((await receiveIt(purchase)).status).toBe(200)
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
    expect(codeOf(await receiveIt(purchase))).toBe('DUPLICATE_SETTLEMENT')
  })

  test('a wallet that has not approved it, and does not sign that, is told so', async () => {
    const purchase = await (await aPermit2Buyer(world, 'warm', 0n)).pay()
    expect((await verify(purchase)).body).toMatchObject({
      isValid: false,
      invalidReason: 'permit2_allowance_required',
    })
    expect((await settle(world, purchase)).body).toMatchObject({
      success: false,
      errorReason: 'permit2_allowance_required',
      transaction: '',
    })
    expect(codeOf(await receiveIt(purchase))).toBe('PAYMENT_VERIFICATION_FAILED')
  })

  test('a payer that takes its nonce back pays nobody', async () => {
    const buyer = await aPermit2Buyer(world)
    const purchase = await buyer.pay()
    expect((await verify(purchase)).body).toMatchObject({ isValid: true })
    await buyer.call(PERMIT2, invalidation(authorizationOf(purchase).nonce))
    expect((await settle(world, purchase)).body).toMatchObject({
      success: false,
      errorReason: 'permit2_invalid_nonce',
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
  })

  test('one allowance or one balance, drawn on from all sides, pays what it holds and never more', async () => {
    const draws = 12
    const covered = 5n
    const [byAllowance, byBalance] = await Promise.all([
      aPermit2Buyer(world, 'warm', covered * PRICE),
      aPermit2Buyer(world),
    ])
    // A fifth of what it has: that allowance is without an end.
    const fifth = USDC_ONE / covered
    const purchases = await Promise.all([
      ...Array.from({ length: draws }, () => byAllowance.pay()),
      ...Array.from({ length: draws }, () => byBalance.pay({ amount: fifth })),
    ])
    const replies = await Promise.all(purchases.map((purchase) => settle(world, purchase)))
    const paid = () => Promise.all(purchases.map(({ payTo }) => world.balanceOf(payTo, 'USDC')))
    const isWhole = async () => {
      const amounts = await paid()
      const [first, second] = [amounts.slice(0, draws), amounts.slice(draws)]
      expect(sum(first)).toBeLessThanOrEqual(covered * PRICE)
      return sum(first) === covered * PRICE && sum(second) === USDC_ONE
    }
    await until('all that is there was drawn', isWhole, { seconds: 30 })
    expect(await world.balanceOf(byAllowance.address, 'USDC')).toBe(USDC_ONE - covered * PRICE)
    expect(await world.balanceOf(byBalance.address, 'USDC')).toBe(0n)
    const received = await paid()
    replies.forEach(({ body }, index) => {
      if (body['success'] === true) expect(received[index]).toBeGreaterThan(0n)
    })

    // What came to nothing is as good as before, and pays as soon as there is something to draw on.
    await byAllowance.approve()
    await world.sandbox.fund(byBalance.address, 'USDC', '2')
    const left = purchases.filter((_, index) => received[index] === 0n)
    const isSettled = async (purchase: SettleBody) =>
      (await settle(world, purchase)).body['success'] === true
    await Promise.all(
      left.map((purchase) => until('it is paid', () => isSettled(purchase), { seconds: 60 })),
    )
    expect(await world.balanceOf(byBalance.address, 'USDC')).toBe(
      3n * USDC_ONE - BigInt(draws) * fifth,
    )
  })

  test('what the seller adds to its wishes changes nothing', async () => {
    const purchase = await (await aPermit2Buyer(world)).pay()
    const { paymentRequirements: asked } = purchase.body
    const extra = {
      ...Object(asked['extra']),
      more: 'x'.repeat(20_000),
      deadline: '0',
      amount: '1',
    }
    const paymentRequirements = { ...asked, extra }
    const body = { ...purchase.body, paymentRequirements }
    expect((await settle(world, { body })).body).toMatchObject({
      success: true,
      amount: `${PRICE}`,
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })
})

describe('exact by Permit2, settled by somebody else', () => {
  test('pays the seller, who is told so once', async () => {
    const [buyer, stranger] = await Promise.all([aPermit2Buyer(world), aPermit2Buyer(world)])
    const purchase = await buyer.pay()
    const transaction = await stranger.call(PROXY, settlingCall(purchase))
    expect((await settle(world, purchase)).body).toMatchObject({ success: true, transaction })
    expect((await settle(world, purchase)).body).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(PRICE)
  })

  test('once our own attempt reverted, a used nonce is no final no before that is final', async () => {
    const buyer = await aPermit2Buyer(world)
    const purchase = await buyer.pay()
    await revertFirst(world, purchase, purchase, buyer)
    await buyer.call(PERMIT2, invalidation(authorizationOf(purchase).nonce))
    const isOver = async () => {
      const { body } = await settle(world, purchase)
      // By what it was used is a question, and a payment by way of a contract answers it with money.
      expect(body).toMatchObject({
        success: false,
        extra: { paymentId: expect.stringMatching(/^pay_/) as unknown },
      })
      const { status } = Object(body['extra']) as { readonly status: unknown }
      expect(['pending', 'expired']).toContain(status)
      return status === 'expired'
    }
    await until('that is final', isOver, { seconds: 60 })
    expect((await receiveIt(purchase)).body).toMatchObject({
      error: { details: { reason: 'permit2_deadline_expired' } },
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
  })

  test('another payment of the same amount is not taken for it', async () => {
    const buyer = await aPermit2Buyer(world)
    const payTo = world.newAddress()
    const [one, other] = [await buyer.pay({ payTo }), await buyer.pay({ payTo })]
    expect((await settle(world, one)).body).toMatchObject({ success: true })
    const { nonce } = authorizationOf(other)
    await buyer.call(PERMIT2, invalidation(nonce))
    expect((await settle(world, other)).body).toMatchObject({
      success: false,
      errorReason: 'permit2_invalid_nonce',
      transaction: '',
    })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(PRICE)
  })

  test('the seller’s own wallet settles it', async () => {
    const [buyer, seller] = await Promise.all([
      aPermit2Buyer(world, 'cold'),
      evmCustodian(world.sandbox),
    ])
    const before = await world.balanceOf(seller.address, 'USDC')
    const purchase = await buyer.pay({ payTo: seller.address })
    const built = await world.client().post('/transaction/receive', offerOf(purchase))
    expect(built.body).toMatchObject({
      success: true,
      status: 'pending',
      summary: {
        transfers: [{ from: buyer.address, to: seller.address, amountBaseUnits: `${PRICE}` }],
      },
    })
    const hash = await seller.broadcast(await seller.sign(transactionOf(built)))
    const path = `/payment/status/${String(built.body['paymentId'])}`
    const settled = async () => {
      const { body } = await world.client().get(path)
      return body['status'] === 'settled' && body
    }
    const record = await until('the payment is settled', settled, { seconds: 40 })
    expect(record).toMatchObject({ signature: hash, recipient: seller.address })
    expect(await world.balanceOf(seller.address, 'USDC')).toBe(before + PRICE)
  })
})

describe('upto, with what the stock client signs', () => {
  test.each(['warm', 'cold'] as const)('a %s wallet pays what its seller says', async (kind) => {
    const buyer = await aPermit2Buyer(world, kind)
    const purchase = await buyer.pay({ scheme: 'upto', amount: 2_000n })
    expect((await verify(purchase)).body).toEqual({ isValid: true, payer: buyer.address })
    const charged = charging(purchase, 700n)
    const replies = await Promise.all(Array.from({ length: 4 }, () => settle(world, charged)))
    const successes = replies.filter(({ body }) => body['success'] === true)
    expect(successes).toHaveLength(1)
    expect(successes[0]?.body).toMatchObject({ payer: buyer.address, amount: '700' })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(700n)
    for (const amount of [700n, 701n, 2_000n, 0n]) {
      expect((await settle(world, charging(purchase, amount))).body).toMatchObject({
        success: false,
        errorReason: 'duplicate_settlement',
      })
    }
    expect(await world.balanceOf(buyer.address, 'USDC')).toBe(USDC_ONE - 700n)
  })

  test('no more than was signed for is taken, and a verification is for all of it', async () => {
    const purchase = await (await aPermit2Buyer(world)).pay({ scheme: 'upto', amount: 2_000n })
    expect((await settle(world, charging(purchase, 2_001n))).body).toMatchObject({
      success: false,
      errorReason: 'invalid_upto_evm_payload_settlement_exceeds_amount',
      transaction: '',
    })
    for (const amount of [1_999n, 2_001n]) {
      expect((await verify(charging(purchase, amount))).body).toMatchObject({
        isValid: false,
        invalidReason: 'permit2_amount_mismatch',
      })
    }
    expect((await settle(world, purchase)).body).toMatchObject({ success: true, amount: '2000' })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(2_000n)
  })

  test('one that was claimed settles for that amount alone, and no seller is told to work for another', async () => {
    const buyer = await aPermit2Buyer(world)
    const purchase = await buyer.pay({ scheme: 'upto', amount: 2_000n })
    const claimed = charging(purchase, 700n)
    await revertFirst(world, purchase, claimed, buyer)
    const open = /not answered yet/
    expect((await verify(purchase)).body).toMatchObject({
      isValid: false,
      invalidReason: 'duplicate_settlement',
      invalidMessage: expect.stringMatching(open) as unknown,
    })
    for (const amount of [300n, 0n]) {
      expect((await settle(world, charging(purchase, amount))).body).toMatchObject({
        success: false,
        errorReason: 'duplicate_settlement',
        errorMessage: expect.stringMatching(open) as unknown,
      })
    }
    expect((await settle(world, claimed)).body).toMatchObject({ success: true, amount: '700' })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(700n)
  })

  test('nothing may be asked for: then nothing moves, and a bad payment is still a bad one', async () => {
    const buyer = await aPermit2Buyer(world)
    const purchase = await buyer.pay({ scheme: 'upto', amount: 2_000n })
    expect((await settle(world, charging(purchase, 0n))).body).toEqual({
      success: true,
      payer: buyer.address,
      transaction: '',
      network: 'eip155:84532',
      amount: '0',
    })
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(0n)
    expect((await settle(world, charging(purchase, 5n))).body).toMatchObject({ success: true })
    const exact = await buyer.pay()
    expect((await settle(world, charging(exact, 0n))).body).toMatchObject({
      success: false,
      errorReason: 'invalid_payment_requirements',
    })
  })

  test('is listed by the most that a visit may cost', async () => {
    const { body, payTo } = await (
      await aPermit2Buyer(world)
    ).pay({ scheme: 'upto', amount: 2_000n })
    const url = 'http://127.0.0.1:4021/by-the-word'
    const { bazaar } = declareDiscoveryExtension({ input: { city: 'Graz' } })
    const said = JSON.parse(JSON.stringify(bazaar)) as { info: { input: object } }
    const info = { ...said.info, input: { ...said.info.input, method: 'GET' } }
    const extensions = { bazaar: { ...said, info } }
    const paymentPayload = { ...body.paymentPayload, resource: { url }, extensions }
    const purchase = { body: { ...body, paymentPayload }, payTo }
    expect((await settle(world, charging(purchase, 700n))).body).toMatchObject({ success: true })
    // It is listed beside its answer.
    const listed = async () => {
      const { items } = (await world.client().get('/x402/discovery/resources')).body
      return Array.isArray(items) && items.length > 0 && (items as readonly unknown[])
    }
    expect(await until('it is listed', listed, { seconds: 30 })).toMatchObject([
      { accepts: [{ scheme: 'upto', amount: '2000' }] },
    ])
  })

  test('a payment that names another facilitator is not ours to settle', async () => {
    const facilitator = world.newAddress()
    const buyer = await aPermit2Buyer(world)
    const purchase = await buyer.pay({ scheme: 'upto', facilitator })
    const refused = 'upto_facilitator_mismatch'
    expect((await verify(purchase)).body).toMatchObject({ invalidReason: refused })
    expect((await settle(world, purchase)).body).toMatchObject({ errorReason: refused })
  })

  test('what was signed for one scheme is none of the other', async () => {
    const buyer = await aPermit2Buyer(world)
    const [exact, upto] = [await buyer.pay(), await buyer.pay({ scheme: 'upto' })]
    for (const [purchase, scheme] of [
      [exact, 'upto'],
      [upto, 'exact'],
    ] as const) {
      const { body, payTo } = purchase
      const paymentRequirements = { ...body.paymentRequirements, scheme }
      const accepted = paymentRequirements
      const paymentPayload = { ...body.paymentPayload, accepted }
      const twisted = { body: { ...body, paymentPayload, paymentRequirements }, payTo }
      expect((await verify(twisted)).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_permit2_spender',
      })
      expect((await settle(world, twisted)).body).toMatchObject({ success: false })
      expect(await world.balanceOf(payTo, 'USDC')).toBe(0n)
    }
  })
})

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n)
}
