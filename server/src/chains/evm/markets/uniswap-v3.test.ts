import { createPublicClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import type { Chain } from '../../chain.ts'
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { connectEvm } from '../connect.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { testNetwork } from '../test-network.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker } from './test-token.ts'
import { deployUniswapV3, openPoolV3 } from './test-uniswap-v3.ts'
import type { MarketV3 } from './test-uniswap-v3.ts'

const QUOTER_ABI = parseAbi([
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)) returns (uint256, uint160, uint32, uint256)',
])
const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`

let scene: TestChain
let maker: TestMaker
let config: MarketV3
let chain: Chain
let token: TradedToken
let market: TestMarket

beforeAll(async () => {
  scene = await startTestChain()
  maker = await openTestMaker(scene)
  const deployed = await deployUniswapV3(scene, maker)
  config = deployed.market
  token = await maker.token('none')
  const { manager } = deployed
  await openPoolV3(scene, maker, manager, { token, fee: 3_000, amount: 500n * ETHER })
  await openPoolV3(scene, maker, manager, { token, fee: 10_000, amount: 50n * ETHER })
  chain = connectEvm({
    config: testNetwork([scene.sandbox.rpcUrl], { markets: [config] }),
    log: openLog('silent'),
    clock: systemClock,
  })
  market = openTestMarket({ chain }, 'uniswap-v3', token)
})
afterAll(async () => {
  await scene.sandbox.stop()
})

describe('uniswap-v3', () => {
  test('quotes what the quoter says of the tier that gives most', async () => {
    const client = createPublicClient({ transport: http(scene.sandbox.rpcUrl) })
    const weth = hex(config.wrappedNative)
    for (const side of ['buy', 'sell'] as const) {
      const [tokenIn, tokenOut] = side === 'buy' ? [weth, hex(token.mint)] : [hex(token.mint), weth]
      const quote = await market.quoted(side, ETHER)
      const said = await Promise.all(
        [3_000, 10_000].map(async (fee) => {
          const { result } = await client.simulateContract({
            abi: QUOTER_ABI,
            address: hex(config.quoter),
            functionName: 'quoteExactInputSingle',
            args: [{ tokenIn, tokenOut, amountIn: ETHER, fee, limit: 0n }],
          })
          return result[0]
        }),
      )
      expect(quote.amountOut).toBe(said[0])
      expect(quote.amountOut).toBeGreaterThan(said[1] ?? 0n)
      expect(quote.route['fee']).toBe('3000')
      // A five-hundredth of what the pool holds moves the price by about as much.
      expect(quote.priceImpactBasisPoints).toBeGreaterThanOrEqual(15n)
      expect(quote.priceImpactBasisPoints).toBeLessThanOrEqual(25n)
    }
  })

  test('buys and sells exactly what was quoted, and gives native currency back', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const buy = await market.quoted('buy', ETHER)
    const drafted = await market.drafted(market.order(wallet.address, buy))
    expect(drafted.counterparty).toBe(config.router)
    const [bought] = await market.land(wallet, drafted)
    expect(market.received(wallet, buy, bought)).toBe(buy.amountOut)

    const before = await scene.balanceOf(wallet.address)
    const sell = await market.quoted('sell', buy.amountOut)
    const landed = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, sell)),
    )
    expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
    expect(market.received(wallet, sell, landed[1])).toBe(sell.amountOut)
    const fees = landed.reduce((sum, { feePaid }) => sum + feePaid, 0n)
    expect(await scene.balanceOf(wallet.address)).toBe(before + sell.amountOut - fees)
  })

  test('refuses what the price does not give, on both sides, and tokens without a pool', async () => {
    const wallet = await scene.wallet(['native', '5'])
    await maker.mint(token, wallet.address, ETHER)
    for (const side of ['buy', 'sell'] as const) {
      const quote = await market.quoted(side, ETHER)
      const order = market.order(wallet.address, quote, { minimumOut: quote.amountOut + 1n })
      expect(await market.venue.draft(order)).toEqual({ ok: false, refusal: 'price_moved' })
    }
    const other = await maker.token('none')
    expect(await market.venue.quote({ side: 'buy', token: other, amountIn: ETHER })).toEqual({
      ok: false,
      refusal: 'no_market',
    })
  })

  test('shows its pools and trades to whoever follows the market', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const [bought] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    const facts = []
    for (let from = 0n; from <= (bought?.height ?? 0n); from += 8n) {
      facts.push(...((await chain.market?.read(await chain.blocks(from, 8))) ?? []))
    }
    expect(facts.filter(({ kind }) => kind === 'opened')).toHaveLength(2)
    expect(facts).toContainEqual(
      expect.objectContaining({
        kind: 'trade',
        venue: 'uniswap-v3',
        side: 'buy',
        mint: token.mint,
        market: quote.route['pool'],
        trader: wallet.address,
        nativeAmount: ETHER,
        tokenAmount: quote.amountOut,
        height: bought?.height,
      }),
    )
  })

  test('is said in plain words by whoever reads the bytes of a swap', async () => {
    const wallet = await scene.wallet(['native', '5'])
    await maker.mint(token, wallet.address, ETHER)
    for (const side of ['buy', 'sell'] as const) {
      const quote = await market.quoted(side, ETHER)
      const order = market.order(wallet.address, quote)
      const prepared = await market.venue.prepare(order)
      if (!prepared.ok) throw new Error(prepared.refusal)
      const { summary } = prepared.preparation.build([])
      expect(summary.others).toHaveLength(1)
      expect(summary.others[0]).toMatch(side === 'buy' ? /^buys at least / : /^sells /)
      expect(summary.others[0]).toContain(`${order.minimumOut}`)
      expect(summary.others[0]).toContain(requireAddress(token.mint))
      expect(summary.others[0]).toContain(wallet.address)
    }
  })
})
