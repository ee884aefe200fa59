import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../../chain.ts'
import type { TradedToken } from '../../venue.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker, Trick } from './test-token.ts'

let scene: TestChain
let maker: TestMaker
beforeAll(async () => {
  scene = await startTestChain()
  maker = await openTestMaker(scene)
})
afterAll(async () => {
  await scene.sandbox.stop()
})

interface Stage {
  readonly market: TestMarket
  readonly token: TradedToken
  readonly wallet: TestWallet
}

/** A market of one token, and a wallet that has some of it. */
async function stage(trick: Trick, holding = 0n): Promise<Stage> {
  const token = await maker.token(trick)
  const wallet = await scene.wallet(['native', '5'])
  if (holding > 0n) await maker.mint(token, wallet.address, holding)
  return { token, wallet, market: openTestMarket(scene, 'uniswap-v2', token) }
}

async function balanceOf({ token }: Stage, owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(String(await scene.rpc('eth_call', { to: token.mint, data }, 'latest')))
}

describe('a token that keeps a part of what moves', () => {
  test('gives what the chain shows, which is less than the quote and never less than the minimum', async () => {
    const all = await stage('keeps a part')
    const { market, wallet } = all
    const quote = await market.quoted('buy', ETHER)
    const [swap] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    const received = market.received(wallet, quote, swap)
    expect(received).toBe(quote.amountOut - quote.amountOut / 20n)
    expect(received).toBe(await balanceOf(all, wallet.address))
  })

  test('is not bought when what arrives would be less than the minimum', async () => {
    const { market, wallet } = await stage('keeps a part')
    const quote = await market.quoted('buy', ETHER)
    const minimumOut = (quote.amountOut * 96n) / 100n
    expect(await market.venue.draft(market.order(wallet.address, quote, { minimumOut }))).toEqual({
      ok: false,
      refusal: 'price_moved',
    })
  })
})

test('a token that keeps a part is not sold: its transfer would pass for another one', async () => {
  const { market, wallet } = await stage('keeps a part', ETHER)
  const quote = await market.quoted('sell', ETHER)
  expect(await market.venue.draft(market.order(wallet.address, quote))).toEqual({
    ok: false,
    refusal: 'no_market',
  })
})

describe('a token that does not do as it says', () => {
  test.each<Trick>(['cannot be sold', 'says false'])(
    '%s: a sell is refused before it is signed',
    async (trick) => {
      const { market, wallet } = await stage(trick, ETHER)
      const quote = await market.quoted('sell', ETHER)
      expect(await market.venue.draft(market.order(wallet.address, quote))).toEqual({
        ok: false,
        refusal: 'no_market',
      })
    },
  )

  test('says false: a buy is refused before it is signed', async () => {
    const { market, wallet } = await stage('says false')
    const quote = await market.quoted('buy', ETHER)
    expect(await market.venue.draft(market.order(wallet.address, quote))).toEqual({
      ok: false,
      refusal: 'no_market',
    })
  })

  test('lies about balances: what is not there cannot be sold', async () => {
    const { market, wallet } = await stage('lies about balances')
    const quote = await market.quoted('sell', ETHER)
    expect(await market.venue.draft(market.order(wallet.address, quote))).toEqual({
      ok: false,
      refusal: 'no_market',
    })
  })

  test('burns gas: holds up nobody, and is refused', async () => {
    const { market, wallet } = await stage('burns gas', ETHER)
    const quote = await market.quoted('buy', ETHER)
    const drafting = market.venue.draft(market.order(wallet.address, quote))
    expect(await drafting.catch((error: unknown) => error)).not.toBeInstanceOf(NodeFailure)
    expect(await drafting).toEqual({ ok: false, refusal: 'no_market' })
  })

  test('says nothing where a boolean belongs: trades like any other', async () => {
    const { market, wallet } = await stage('says nothing', ETHER)
    const quote = await market.quoted('sell', ETHER)
    const landed = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
    expect(market.received(wallet, quote, landed[1])).toBe(quote.amountOut)
  })
})

test('a young pool that was tried in the second of its birth is traded with in a later one', async () => {
  const { market, wallet } = await stage('none', ETHER)
  for (const side of ['buy', 'sell'] as const) {
    const quote = await market.quoted(side, ETHER)
    const drafted = await market.drafted(market.order(wallet.address, quote))
    await scene.rpc('evm_increaseTime', 3)
    const landed = await market.land(wallet, drafted)
    expect(landed.every(({ succeeded }) => succeeded)).toBe(true)
    const gas = BigInt(drafted.draft.terms['gas'] ?? '0')
    const least = side === 'buy' ? 91_000n : 105_000n
    expect(gas).toBeGreaterThan(least + 44_000n)
  }
})

describe('an allowance that is left from before', () => {
  test('and too small is replaced by exactly the amount, and refused where the token does not let it', async () => {
    for (const trick of ['none', 'approves from zero only'] as const) {
      const { market, wallet, token } = await stage(trick, 3n * ETHER)
      const first = await market.drafted(
        market.order(wallet.address, await market.quoted('sell', ETHER)),
      )
      // Only the allowance lands, and the swap that it was for never does.
      if (first.allowance === null) throw new Error('an allowance was needed')
      const { laneLatest } = first.draft
      const approval = await scene.chain.sign(first.allowance.terms, laneLatest, wallet.signer)
      await scene.chain.broadcast([approval.raw])
      expect((await market.mined(approval.hash)).succeeded).toBe(true)
      expect(await allowed(token, wallet)).toBe(ETHER)

      const order = market.order(wallet.address, await market.quoted('sell', 2n * ETHER))
      if (trick !== 'none') {
        expect(await market.venue.draft(order)).toEqual({ ok: false, refusal: 'no_market' })
        continue
      }
      const second = await market.drafted(order)
      const landed = await market.land(wallet, second)
      expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
      expect(await allowed(token, wallet)).toBe(0n)
    }
  })

  test.each<Trick>(['none', 'approves from zero only'])(
    'and large enough needs none, and loses no more than the amount: %s',
    async (trick) => {
      const { market, wallet, token } = await stage(trick, 3n * ETHER)
      const large = await market.drafted(
        market.order(wallet.address, await market.quoted('sell', 3n * ETHER)),
      )
      if (large.allowance === null) throw new Error('an allowance was needed')
      const approval = await scene.chain.sign(
        large.allowance.terms,
        large.draft.laneLatest,
        wallet.signer,
      )
      await scene.chain.broadcast([approval.raw])
      await market.mined(approval.hash)
      const quote = await market.quoted('sell', ETHER)
      const small = await market.drafted(market.order(wallet.address, quote))
      expect(small.allowance).toBeNull()
      const [swap] = await market.land(wallet, small)
      expect(market.received(wallet, quote, swap)).toBe(quote.amountOut)
      expect(await allowed(token, wallet)).toBe(2n * ETHER)
    },
  )
})

async function allowed({ mint }: TradedToken, { address }: TestWallet): Promise<bigint> {
  const words = [address, scene.sandbox.market.router]
  const data = `0xdd62ed3e${words.map((each) => each.slice(2).toLowerCase().padStart(64, '0')).join('')}`
  return BigInt(String(await scene.rpc('eth_call', { to: mint, data }, 'latest')))
}
