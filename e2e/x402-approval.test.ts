import { formatUnits } from 'viem'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anApprovalBuyer, openSponsoredWorld } from './actors/approval-buyer.ts'
import type { SponsoredWorld } from './actors/approval-buyer.ts'
import { buy, openShop } from './actors/run-actor.ts'
import { encoded, receive } from './actors/receiver.ts'
import { EVM, PRICE, settle } from './actors/seller.ts'
import type { SettleBody } from './actors/seller.ts'

let scene: SponsoredWorld
beforeAll(async () => {
  scene = await openSponsoredWorld()
})
afterAll(() => scene.world.stop())

const verify = ({ body }: SettleBody) => scene.world.client().post('/x402/verify', body)

test('the service says that it submits approvals', async () => {
  // A network that is not followed yet has neither kinds nor what comes with them.
  const isAnnounced = async () => {
    const { body } = await scene.world.client().get('/x402/supported')
    return JSON.stringify(body['extensions']).includes('erc20ApprovalGasSponsoring')
  }
  await until('the approvals are announced', isAnnounced, { seconds: 30 })
})

test.each([
  ['exact', 'express'],
  ['upto', 'hono'],
] as const)(
  'a stock client without native currency pays a stock seller with a token that knows no permits, by %s',
  async (scheme, framework) => {
    const { world, token } = scene
    const buyer = await anApprovalBuyer(scene)
    const payTo = world.newAddress()
    const { baseUrl, apiKeys } = world.service()
    const charge = scheme === 'upto' ? PRICE - 1n : PRICE
    const before = await scene.fundings()
    const shop = await openShop({
      ...{ facilitatorUrl: `${baseUrl}/x402`, apiKey: apiKeys.enterprise },
      ...{ framework, network: EVM, payTo, price: '$0.01' },
      permit2: {
        ...{ asset: token.asset, amount: `${PRICE}`, approval: 'erc20ApprovalGasSponsoring' },
        ...(scheme === 'upto' ? { charge: `${charge}` } : {}),
      },
    })
    try {
      const asked = {
        client: 'fetch',
        paysAnyAsset: true,
        evmKey: buyer.key,
        url: shop.url,
        times: 1,
      } as const
      const evmRpcUrl = world.sandbox.rpcUrl
      expect(await buy({ ...asked, evmRpcUrl })).toMatchObject([
        { status: 200, body: { goods: true } },
      ])
      expect(await scene.tokensOf(payTo)).toBe(charge)
      expect(await scene.fundings()).toBe(before + 1)
      // The allowance stands: nothing is given for the second one.
      expect(await buy({ ...asked, evmRpcUrl })).toMatchObject([
        { status: 200, body: { goods: true } },
      ])
      expect(await scene.tokensOf(payTo)).toBe(2n * charge)
      expect(await scene.fundings()).toBe(before + 1)
    } finally {
      await shop.stop()
    }
  },
)

test('twenty calls at once and two instances: one is given the money, one success', async () => {
  const { world } = scene
  const [first, second] = [world.client(), await scene.start().then(() => world.client())]
  const buyer = await anApprovalBuyer(scene)
  const purchase = await buyer.pay()
  const before = await scene.fundings()
  expect((await verify(purchase)).body).toEqual({ isValid: true, payer: buyer.address })
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? first : second).post('/x402/settle', purchase.body),
    ),
  )
  expect(replies.filter(({ body }) => body['success'] === true)).toHaveLength(1)
  expect(await scene.fundings()).toBe(before + 1)
  expect(await scene.tokensOf(purchase.payTo)).toBe(PRICE)
  await world.expectSound()
})

test('two tokens, two sellers and one nonce at once: the payer is given the money once, and one of them is paid', async () => {
  const { world, other } = scene
  const buyer = await anApprovalBuyer(scene)
  await world.sandbox.fund(buyer.address, 'ALDER', '1')
  const purchases = [await buyer.pay(), await buyer.pay({ by: other })] as const
  const before = await scene.fundings()
  const said = await Promise.all(
    purchases.map(async (purchase) => (await settle(world, purchase)).body),
  )
  expect(said.filter(({ success }) => success === true)).toHaveLength(1)
  expect(said).toContainEqual(
    expect.objectContaining({ success: false, errorReason: 'erc20_approval_tx_wrong_nonce' }),
  )
  expect(await scene.fundings()).toBe(before + 1)
  const [first, second] = purchases
  const paid = [await scene.tokensOf(first.payTo), await scene.tokensOf(second.payTo, other)]
  expect(paid.toSorted()).toEqual([0n, PRICE])
  await world.expectSound()
})

test('a token that answers no word, as USDT does, is paid with', async () => {
  const { world, other } = scene
  const buyer = await anApprovalBuyer(scene)
  await world.sandbox.fund(buyer.address, 'ALDER', '1')
  const purchase = await buyer.pay({ by: other })
  expect((await verify(purchase)).body).toMatchObject({ isValid: true })
  expect((await settle(world, purchase)).body).toMatchObject({ success: true })
  expect(await scene.tokensOf(purchase.payTo, other)).toBe(PRICE)
})

test('what is not in a block yet is told as that, and nothing is claimed: the same payment pays later', async () => {
  const { world } = scene
  const purchase = await (await anApprovalBuyer(scene)).pay()
  const before = await scene.fundings()
  await world.sandbox.fault({ kind: 'stop-blocks' })
  const receiving = {
    ...{ walletAddress: purchase.payTo, paymentProof: encoded(purchase.body.paymentPayload) },
    ...{ asset: 'FERN', expectedAmount: formatUnits(PRICE, 18), timeout: 2 },
  }
  const early = await receive(world.client(), receiving)
  await world.sandbox.clearFaults()
  expect(early.body).toMatchObject({
    error: { code: 'NETWORK_ERROR', details: { reason: 'approval_pending' } },
  })
  const received = await world.database.store.query(
    'approval_received',
    'select from payments where recipient = $1',
    [purchase.payTo],
  )
  expect(received).toHaveLength(0)
  expect((await receive(world.client(), { ...receiving, timeout: 20 })).status).toBe(200)
  expect(await scene.fundings()).toBe(before + 1)
  expect(await scene.tokensOf(purchase.payTo)).toBe(PRICE)
})

describe('nothing is given, and both calls say so,', () => {
  const refusals = async (purchase: SettleBody) => {
    const verified = (await verify(purchase)).body
    const settled = (await settle(scene.world, purchase)).body
    expect(verified['isValid']).toBe(false)
    expect(settled).toMatchObject({ success: false, transaction: '' })
    return [verified['invalidReason'], settled['errorReason']]
  }

  test.each([
    ['more than one approval may take', { amountMax: 1n }, 'erc20_approval_tx_fee_too_high'],
    ['past the day of all payers', { amountPerDay: 1n }, 'gas_budget_spent'],
  ])('%s', async (_, change, reason) => {
    const service = await scene.start(change)
    const before = await scene.fundings()
    const purchase = await (await anApprovalBuyer(scene)).pay()
    expect(await refusals(purchase)).toEqual([reason, reason])
    expect(await scene.fundings()).toBe(before)
    await service.stop()
  })

  test('where the wallet has less than one approval may take it is not even announced', async () => {
    const much = 10n ** 30n
    const service = await scene.start({ amountMax: much, amountPerDay: much })
    const { body } = await scene.world.client().get('/x402/supported')
    expect(body['extensions']).toContain('eip2612GasSponsoring')
    expect(body['extensions']).not.toContain('erc20ApprovalGasSponsoring')
    await service.stop()
  })

  test('past the policy of the wallet that gives it', async () => {
    const { world, sponsor } = scene
    await scene.start()
    const policy = {
      limits: [{ network: EVM, asset: 'native', perPayment: '0.000000000000000001' }],
    }
    const path = `/wallets/${sponsor}/policy`
    expect((await world.client().put(path, policy)).status).toBe(200)
    const before = await scene.fundings()
    const purchase = await (await anApprovalBuyer(scene)).pay()
    expect(await refusals(purchase)).toEqual(['gas_budget_spent', 'gas_budget_spent'])
    expect(await scene.fundings()).toBe(before)
    expect((await world.client().put(path, {})).status).toBe(200)
    expect((await settle(world, purchase)).body).toMatchObject({ success: true })
  })

  test('where the operator has not turned it on', async () => {
    const service = await scene.startWithout()
    const before = await scene.fundings()
    const { body } = await scene.world.client().get('/x402/supported')
    expect(body['extensions']).not.toContain('erc20ApprovalGasSponsoring')
    const purchase = await (await anApprovalBuyer(scene)).pay()
    const reason = 'permit2_allowance_required'
    expect(await refusals(purchase)).toEqual([reason, reason])
    expect(await scene.fundings()).toBe(before)
    await service.stop()
  })
})
