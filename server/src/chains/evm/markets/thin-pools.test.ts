import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import type { TradeSide, TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { connectEvm } from '../connect.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'
import { testNetwork } from '../test-network.ts'
import { openTestMarket } from './test-market.ts'
import type { Mined, TestMarket } from './test-market.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker } from './test-token.ts'
import { deployUniswapV3, openPoolV3 } from './test-uniswap-v3.ts'
import type { MarketV3 } from './test-uniswap-v3.ts'

/** Of each side that a pool holds, within a few percent of its price. */
const HELD = 10n * ETHER
const TICKS = 600

let scene: TestChain
let maker: TestMaker
let deployed: Awaited<ReturnType<typeof deployUniswapV3>>
let config: MarketV3
beforeAll(async () => {
  scene = await startTestChain()
  maker = await openTestMaker(scene)
  deployed = await deployUniswapV3(scene, maker)
  config = deployed.market
})
afterAll(async () => {
  await scene.sandbox.stop()
})

interface Stage {
  readonly token: TradedToken
  readonly market: TestMarket
  readonly wallet: TestWallet
  readonly rival: TestWallet
}

/** A pool whose liquidity ends, and two wallets with much of both sides. */
async function stage(): Promise<Stage> {
  const token = await maker.token('none')
  const { manager } = deployed
  await openPoolV3(scene, maker, manager, { token, fee: 10_000, amount: HELD, ticks: TICKS })
  const chain = connectEvm({
    config: testNetwork([scene.sandbox.rpcUrl], { markets: [config] }),
    log: openLog('silent'),
    clock: systemClock,
  })
  const [wallet, rival] = [
    await scene.wallet(['native', '50']),
    await scene.wallet(['native', '50']),
  ]
  for (const { address } of [wallet, rival]) await maker.mint(token, address, 50n * ETHER)
  return { token, wallet, rival, market: openTestMarket({ chain }, 'uniswap-v3', token) }
}

async function heldOf({ token }: Stage, owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(String(await scene.rpc('eth_call', { to: token.mint, data }, 'latest')))
}

async function allowedOf({ token, wallet }: Stage): Promise<bigint> {
  const words = [wallet.address, config.router].map((each) =>
    each.slice(2).toLowerCase().padStart(64, '0'),
  )
  const data = `0xdd62ed3e${words.join('')}`
  return BigInt(String(await scene.rpc('eth_call', { to: token.mint, data }, 'latest')))
}

/** What an order of 5 comes to when another has taken 8 of the 10 before it. */
async function late(
  { market, wallet, rival }: Stage,
  side: TradeSide,
  minimumOut: (quoted: bigint) => bigint,
) {
  const quote = await market.quoted(side, 5n * ETHER)
  const order = market.order(wallet.address, quote, { minimumOut: minimumOut(quote.amountOut) })
  const drafted = await market.drafted(order)
  const faster = market.order(rival.address, await market.quoted(side, 8n * ETHER))
  await market.land(rival, await market.drafted(faster))
  const before = await scene.balanceOf(wallet.address)
  // The way to the end of the prices costs more than a trial said, and that alone must not be what saves the money.
  const terms = { ...drafted.draft.terms, gas: '1500000' }
  const landed = await market.land(wallet, { ...drafted, draft: { ...drafted.draft, terms } })
  const fees = landed.reduce((sum, { feePaid }) => sum + feePaid, 0n)
  const swap = landed.at(-1)
  if (swap === undefined) throw new Error('nothing landed')
  return { quote, swap, change: (await scene.balanceOf(wallet.address)) - before + fees }
}

const sumOf = (
  { transfers }: Mined,
  wanted: { readonly asset: string; readonly from?: string; readonly to?: string },
): bigint =>
  transfers
    .filter(
      ({ asset, from, to }) =>
        asset === wanted.asset && from === (wanted.from ?? from) && to === (wanted.to ?? to),
    )
    .reduce((sum, { amount }) => sum + amount, 0n)

test('a pool whose liquidity ends before the amount quotes nothing, and one that takes all of it does', async () => {
  const { market, token } = await stage()
  for (const side of ['buy', 'sell'] as const) {
    expect(await market.venue.quote({ side, token, amountIn: 20n * ETHER })).toEqual({
      ok: false,
      refusal: 'insufficient_liquidity',
    })
    expect((await market.quoted(side, 5n * ETHER)).amountOut).toBeGreaterThan(4n * ETHER)
  }
})

test('a buy that is filled partly pays what the pool took, and has the rest back', async () => {
  const all = await stage()
  const { swap, quote, change } = await late(all, 'buy', () => 1n)
  expect(swap.succeeded).toBe(true)
  const pool = requireAddress(quote.route['pool'] ?? '')
  const paid = sumOf(swap, { asset: config.wrappedNative, from: config.router, to: pool })
  expect(paid).toBeGreaterThan(0n)
  expect(paid).toBeLessThan(4n * ETHER)
  expect(change).toBe(-paid)
  expect(all.market.taken(all.wallet, quote, swap)).toBe(paid)
  expect(await scene.balanceOf(requireAddress(config.router))).toBe(0n)
  expect(all.market.received(all.wallet, quote, swap)).toBe(
    (await heldOf(all, all.wallet.address)) - 50n * ETHER,
  )
  // The payment has booked the whole value as gone; the next draft reads what is there, and so do the books.
  const next = await all.market.quoted('sell', ETHER)
  const { draft } = await all.market.drafted(all.market.order(all.wallet.address, next))
  expect(draft.balances.native).toBe(await scene.balanceOf(all.wallet.address))
})

test('a pool that was emptied between draft and block gives the minimum or nothing at all', async () => {
  for (const side of ['buy', 'sell'] as const) {
    const all = await stage()
    const { swap, quote, change } = await late(all, side, (quoted) => (quoted * 90n) / 100n)
    expect(swap.succeeded).toBe(false)
    expect(all.market.received(all.wallet, quote, swap)).toBeNull()
    expect(all.market.taken(all.wallet, quote, swap)).toBeNull()
    expect(change).toBe(0n)
    expect(await heldOf(all, all.wallet.address)).toBe(50n * ETHER)
    expect(await scene.balanceOf(requireAddress(config.router))).toBe(0n)
  }
})

test('a sale that is filled partly shows what left the wallet and what came for it', async () => {
  const all = await stage()
  const { swap, quote, change } = await late(all, 'sell', () => 1n)
  expect(swap.succeeded).toBe(true)
  const pool = requireAddress(quote.route['pool'] ?? '')
  const gone = sumOf(swap, { asset: all.token.mint, from: all.wallet.address, to: pool })
  expect(gone).toBeLessThan(4n * ETHER)
  expect(await heldOf(all, all.wallet.address)).toBe(50n * ETHER - gone)
  expect(all.market.received(all.wallet, quote, swap)).toBe(change)
  expect(change).toBeGreaterThan(0n)
  expect(all.market.taken(all.wallet, quote, swap)).toBe(gone)
})

test('the allowance that such a sale leaves is replaced by the next, or used by a sale of exactly so much', async () => {
  for (const trick of ['none', 'approves from zero only'] as const) {
    const all = await stage()
    const { market, wallet, token, rival } = all
    if (trick !== 'none') {
      // No pool opens with such a token: its maker turns it on later.
      const other = await maker.token(trick)
      const code = await scene.rpc('eth_getCode', other.mint, 'latest')
      await scene.rpc('anvil_setCode', token.mint, code)
    }
    const { swap, quote } = await late(all, 'sell', () => 1n)
    const left = 5n * ETHER - (market.taken(wallet, quote, swap) ?? 0n)
    expect(await allowedOf(all)).toBe(left)
    // Somebody buys, so there is something to sell for again.
    const buy = market.order(rival.address, await market.quoted('buy', 8n * ETHER))
    await market.land(rival, await market.drafted(buy))
    const draft = async (amount: bigint) =>
      await market.venue.draft(market.order(wallet.address, await market.quoted('sell', amount)))
    if (trick !== 'none') {
      expect(await draft(ETHER / 2n)).toEqual({ ok: false, refusal: 'allowance_left', left })
    }
    const amount = trick === 'none' ? ETHER / 2n : left
    const next = await draft(amount)
    if (!next.ok) throw new Error(next.refusal)
    expect(next.allowance === null).toBe(trick !== 'none')
    const landed = await market.land(wallet, next)
    expect(landed.every(({ succeeded }) => succeeded)).toBe(true)
    expect(await allowedOf(all)).toBe(0n)
  }
})

test('a token that keeps a part is not bought where less than the minimum would arrive', async () => {
  const all = await stage()
  const { market, wallet, token } = all
  // No pool opens with such a token: its maker turns it on later.
  const other = await maker.token('keeps a part')
  const code = await scene.rpc('eth_getCode', other.mint, 'latest')
  await scene.rpc('anvil_setCode', token.mint, code)
  const quote = await market.quoted('buy', ETHER)
  const draft = async (percent: bigint) =>
    await market.venue.draft(
      market.order(wallet.address, quote, { minimumOut: (quote.amountOut * percent) / 100n }),
    )
  expect(await draft(96n)).toEqual({ ok: false, refusal: 'no_market' })
  const enough = await draft(94n)
  if (!enough.ok) throw new Error(enough.refusal)
  const [swap] = await market.land(wallet, enough)
  const received = market.received(wallet, quote, swap) ?? 0n
  expect(received).toBeGreaterThanOrEqual((quote.amountOut * 94n) / 100n)
  expect(received).toBeLessThan((quote.amountOut * 96n) / 100n)
  expect(await heldOf(all, wallet.address)).toBe(50n * ETHER + received)
})
