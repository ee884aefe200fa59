import { until } from '@florin/server/kernel/until.ts'
import { Florin, setAmount } from '@florin/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from './actors/client.ts'
import { demandV2, hand, openOddSeller, takeMoney } from './actors/odd-seller.ts'
import type { OddSeller, Saying } from './actors/odd-seller.ts'
import { openPaidShop } from './actors/paid-shop.ts'
import { EVM } from './actors/seller.ts'
import { termsOf } from './actors/terms.ts'
import type { SellerTerms } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

/** Of a wallet that holds 0.25, and may spend 0.12 a day. */
const FUNDS = 250_000n
const MOST = 100_000n
const SPONSORED = { extensions: { eip2612GasSponsoring: { info: { version: '1' }, schema: {} } } }
const SECONDS = 3
const BLOCKS = 10

describe('a wallet of the service buys by upto', () => {
  let world: World
  let facilitatorAddress: string
  beforeAll(async () => {
    world = await openWorld()
    const { body } = await world.client().get('/x402/supported')
    const kinds = body['kinds'] as { scheme: string; extra?: Record<string, unknown> }[]
    const extra = kinds.find(({ scheme }) => scheme === 'upto')?.extra
    facilitatorAddress = String(extra?.['facilitatorAddress'])
  })
  afterAll(() => world.stop())

  async function aWallet() {
    const created = await world.client().post('/wallets', { family: 'evm' })
    const walletAddress = String(created.body['address'])
    await world.sandbox.fund(walletAddress, 'USDC', '0.25')
    const rules = { limits: [{ network: EVM, asset: 'USDC', perDay: '0.12' }] }
    await world.client().put(`/wallets/${walletAddress}/policy`, rules)
    const read = async () => (await world.client().get(`/wallets/${walletAddress}`)).body
    return {
      walletAddress,
      /** The same key never signs twice, also when its payment is final by then. */
      buy: (url: string, maxAmount = '0.10') => {
        const key = `${maxAmount}-${url}`
        const order = { walletAddress, url, maxAmount }
        return world.client().post('/payment/fetch', order, { 'idempotency-key': key })
      },
      money: async () => {
        const balances = (await read())['balances'] as Record<string, unknown>[]
        const usdc = balances.find(({ symbol }) => symbol === 'USDC')
        return { available: usdc?.['availableBaseUnits'], held: usdc?.['heldBaseUnits'] }
      },
      budget: async () => {
        const [day] = (await read())['budgets'] as Record<string, unknown>[]
        return { spent: day?.['spent'], held: day?.['held'], left: day?.['left'] }
      },
    }
  }

  /** What a seller of up to 0.10 asks for. */
  async function terms(seconds = 300) {
    const { terms: plain, payTo } = await termsOf(world, 'evm', seconds)
    const extra = { ...plain.extra, facilitatorAddress }
    const upto: SellerTerms = { ...plain, scheme: 'upto', amount: `${MOST}`, extra }
    return { plain, upto, payTo }
  }

  const record = async (paymentId: unknown) =>
    (await world.client().get(`/payment/status/${String(paymentId)}`)).body
  /** `blocks`: to be mined at each look. */
  const becomes = (paymentId: unknown, status: string, blocks = 0) =>
    until(
      `the payment is ${status}`,
      async () => {
        if (blocks > 0) await world.sandbox.mine(blocks)
        return (await record(paymentId))['status'] === status
      },
      { seconds: 90 },
    )

  test('from a shop behind the paywall, which takes less than the most: everything says what was taken', async () => {
    const wallet = await aWallet()
    const payTo = world.newAddress()
    const { baseUrl, apiKeys } = world.service()
    const florin = new Florin({ baseUrl, apiKey: apiKeys.enterprise })
    const price = { amount: '0.10', asset: 'USDC', network: EVM, payTo, scheme: 'upto' } as const
    const plain: OddSeller[] = []
    const plainShop = async () => {
      const { plain: asks } = await terms()
      const seller = await openOddSeller(async (asked, answer) => {
        if (asked.payment === null) return demandV2(answer, [asks])
        hand(answer, (await takeMoney(world, asked, asks)) ? 200 : 402)
      })
      plain.push(seller)
      return seller.url
    }
    const shop = await openPaidShop('express', florin, price, (carrier) => {
      setAmount(carrier, '0.03')
      return { goods: true }
    })
    try {
      const { status, body } = await wallet.buy(shop.url)
      expect({ status, body }).toMatchObject({
        ...{ status: 200, body: { response: { status: 200, body: '{"goods":true}' } } },
      })
      expect(body).toMatchObject({ receipt: { success: true, amount: '30000' } })
      expect(await world.balanceOf(payTo, 'USDC')).toBe(30_000n)
      // The node shows the wallet with less taken than is held: that is no money that came in.
      const beside = await wallet.buy(await plainShop())
      expect(beside.body).toMatchObject({ amount: 0.01, response: { status: 200 } })
      await becomes(body['paymentId'], 'settled')
      const replayed = await wallet.buy(shop.url)
      expect(replayed.body).toMatchObject({ paid: true, amount: 0.03, response: { status: 200 } })
      expect(await record(body['paymentId'])).toMatchObject({
        amount: 0.03,
        amountBaseUnits: '30000',
      })
      const history = await world.client().get(`/payment/history/${wallet.walletAddress}`)
      const sent = (history.body['payments'] as Record<string, unknown>[]).filter(
        ({ type }) => type === 'sent',
      )
      expect(sent).toHaveLength(2)
      expect(sent).toContainEqual(
        expect.objectContaining({ amountBaseUnits: '30000', recipient: payTo }),
      )
      expect(await world.balanceOf(wallet.walletAddress, 'USDC')).toBe(FUNDS - 40_000n)
      await until('both are final', async () => (await wallet.money()).held === '0', {
        seconds: 90,
      })
      expect(await wallet.money()).toEqual({ available: '210000', held: '0' })
      expect(await wallet.budget()).toEqual({ spent: 0.04, held: 0, left: 0.08 })
    } finally {
      await shop.stop()
      await Promise.all(plain.map((each) => each.stop()))
    }
  })

  test('and counts the most of it until the chain shows less, then what was taken, once', async () => {
    const wallet = await aWallet()
    const { upto, payTo } = await terms()
    const seller = await openOddSeller((asked, answer) =>
      asked.payment === null ? demandV2(answer, [upto], SPONSORED) : hand(answer, 503),
    )
    const { walletAddress } = wallet
    try {
      const { body } = await wallet.buy(seller.url)
      expect(body).toMatchObject({ paid: 'unknown', amount: 0.1, response: { status: 503 } })
      expect(await wallet.money()).toEqual({ available: '150000', held: '100000' })
      expect(await wallet.budget()).toEqual({ spent: 0, held: 0.1, left: 0.02 })
      // A caller who would not pay as much does not join it, and nothing is signed beside.
      expect(codeOf(await wallet.buy(seller.url, '0.09'))).toBe('POLICY_REFUSED')
      const [shown] = seller.paid()
      if (shown === undefined) throw new Error('nothing was shown')
      expect(await takeMoney(world, shown, { ...upto, amount: '1' })).toBe(true)
      seller.says((_, answer) => hand(answer, 200))
      const again = await wallet.buy(seller.url)
      expect(again.body).toMatchObject({ paymentId: body['paymentId'], response: { status: 200 } })
      await becomes(body['paymentId'], 'settled')
      expect(await record(body['paymentId'])).toMatchObject({ amountBaseUnits: '1' })
      expect(await wallet.money()).toEqual({ available: '249999', held: '0' })
      expect(await world.balanceOf(payTo, 'USDC')).toBe(500_001n)
      expect(await world.balanceOf(walletAddress, 'USDC')).toBe(FUNDS - 1n)
      const shownTexts = new Set(seller.paid().map(({ payment }) => JSON.stringify(payment)))
      expect(shownTexts.size).toBe(1)
    } finally {
      await seller.stop()
    }
  })

  test('but only where nothing of exact fits, whatever the seller puts first', async () => {
    const wallet = await aWallet()
    const { plain, upto } = await terms()
    const cheap = { ...upto, amount: '1' }
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [cheap, upto, plain], SPONSORED)
      hand(answer, (await takeMoney(world, asked, plain)) ? 200 : 402)
    })
    try {
      const { body } = await wallet.buy(seller.url)
      expect(body).toMatchObject({ amount: 0.01, response: { status: 200 } })
      expect(seller.paid()[0]?.payment).toHaveProperty('payload.authorization')
    } finally {
      await seller.stop()
    }
  })

  test('and signs nothing that nobody could take, or that is more than was meant', async () => {
    const wallet = await aWallet()
    const { upto } = await terms()
    const named = (said: unknown) => ({ extra: { ...upto.extra, facilitatorAddress: said } })
    const unfit = 'PAYMENT_VERIFICATION_FAILED'
    const cases: readonly (readonly [object, string])[] = [
      [named(undefined), unfit],
      [named(null), unfit],
      [named(`0x${'0'.repeat(40)}`), unfit],
      [named(facilitatorAddress.slice(0, -1)), unfit],
      [named([facilitatorAddress]), unfit],
      [named(wallet.walletAddress), unfit],
      [named(upto.asset), unfit],
      [named('0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'), unfit],
      [{ amount: '100001' }, 'POLICY_REFUSED'],
      [{ amount: '0' }, unfit],
      [{ asset: facilitatorAddress }, unfit],
      [{ extra: { ...upto.extra, paymentFlow: 'upfront' } }, unfit],
      [{ extra: { ...upto.extra, assetTransferMethod: 'eip3009' } }, unfit],
    ]
    for (const [change, code] of cases) {
      const says: Saying = (_, answer) => demandV2(answer, [{ ...upto, ...change }], SPONSORED)
      const seller = await openOddSeller(says)
      try {
        expect({ change, code: codeOf(await wallet.buy(seller.url)) }).toEqual({ change, code })
        expect(seller.paid()).toEqual([])
      } finally {
        await seller.stop()
      }
    }
    expect(await wallet.money()).toEqual({ available: '250000', held: '0' })
  })

  test('and what its seller never takes, or takes nothing of, is held until it cannot be taken, through a crash', async () => {
    const wallet = await aWallet()
    const { upto, payTo } = await terms(SECONDS)
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [upto], SPONSORED)
      await takeMoney(world, asked, { ...upto, amount: '0' })
      hand(answer, 402)
    })
    try {
      // Only the chain's own time ends it, however long the rest takes.
      await world.sandbox.fault({ kind: 'stop-blocks' })
      const { body } = await wallet.buy(seller.url)
      expect(body).toMatchObject({ paid: 'unknown', amount: 0.1, response: { status: 402 } })
      expect(await wallet.money()).toEqual({ available: '150000', held: '100000' })
      await world.service().kill()
      await world.start()
      expect(await wallet.money()).toEqual({ available: '150000', held: '100000' })
      await world.sandbox.fault({ kind: 'resume-blocks' })
      await becomes(body['paymentId'], 'expired', BLOCKS)
      expect(await wallet.money()).toEqual({ available: '250000', held: '0' })
      expect(await wallet.budget()).toEqual({ spent: 0, held: 0, left: 0.12 })
      const [shown] = seller.paid()
      expect(shown && (await takeMoney(world, shown, upto))).toBe(false)
      expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n)
    } finally {
      await seller.stop()
    }
  })
})
