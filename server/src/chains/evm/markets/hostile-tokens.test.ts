import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import { NodeFailure } from '../../chain.ts'
import type { TradedToken } from '../../venue.ts'
import { connectEvm } from '../connect.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain, TestWallet } from '../test-chain.ts'
import { testNetwork } from '../test-network.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker, Trick } from './test-token.ts'
import { postText } from '../../json-rpc/post-text.ts'

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

/** Lets only the allowance of a sell land, as after a sale that reverted. */
async function leaveAllowance({ market, wallet, token }: Stage, amount: bigint): Promise<void> {
  const { allowance, draft } = await market.drafted(
    market.order(wallet.address, await market.quoted('sell', amount)),
  )
  if (allowance === null) throw new Error('an allowance was needed')
  const approval = await scene.chain.sign(allowance.terms, draft.laneLatest, wallet.signer)
  await scene.chain.broadcast([approval.raw])
  expect((await market.mined(approval.hash)).succeeded).toBe(true)
  expect(await allowed(token, wallet)).toBe(amount)
}

describe('an allowance that is left from before', () => {
  test.each([1n, 2n, 3n])(
    'of 2 is replaced by one of exactly the amount of %d, and nothing of it stays',
    async (whole) => {
      const all = await stage('none', 5n * ETHER)
      const { market, wallet, token } = all
      await leaveAllowance(all, 2n * ETHER)
      const quote = await market.quoted('sell', whole * ETHER)
      const drafted = await market.drafted(market.order(wallet.address, quote))
      expect(drafted.allowance).not.toBeNull()
      const landed = await market.land(wallet, drafted)
      expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
      expect(market.received(wallet, quote, landed[1])).toBe(quote.amountOut)
      expect(await allowed(token, wallet)).toBe(0n)
    },
  )

  test('serves no two sells that were drafted together: each has its own', async () => {
    const all = await stage('none', 5n * ETHER)
    const { market, wallet, token } = all
    await leaveAllowance(all, 2n * ETHER)
    const drafts = []
    for (const amount of [2n * ETHER, ETHER]) {
      const quote = await market.quoted('sell', amount)
      drafts.push(await market.drafted(market.order(wallet.address, quote)))
    }
    for (const [index, each] of drafts.entries()) {
      const laneLatest = each.draft.laneLatest + BigInt(2 * index)
      const landed = await market.land(wallet, { ...each, draft: { ...each.draft, laneLatest } })
      expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
    }
    expect(await allowed(token, wallet)).toBe(0n)
  })

  test('is used where it is of the amount and the token takes no other, and refused by its name where it is not', async () => {
    const all = await stage('approves from zero only', 5n * ETHER)
    const { market, wallet, token } = all
    await leaveAllowance(all, 2n * ETHER)
    for (const other of [ETHER, 3n * ETHER]) {
      const order = market.order(wallet.address, await market.quoted('sell', other))
      const left = 2n * ETHER
      const refused = { ok: false, refusal: 'allowance_left', left }
      expect(await market.venue.draft(order)).toEqual(refused)
    }
    const quote = await market.quoted('sell', 2n * ETHER)
    const same = await market.drafted(market.order(wallet.address, quote))
    expect(same.allowance).toBeNull()
    expect((await market.land(wallet, same)).map(({ succeeded }) => succeeded)).toEqual([true])
    expect(await allowed(token, wallet)).toBe(0n)
    // And now it sells like any other.
    const next = await market.quoted('sell', ETHER)
    const landed = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, next)),
    )
    expect(landed.map(({ succeeded }) => succeeded)).toEqual([true, true])
  })
})

test('a node that cannot try calls in a row comes to the same allowances', async () => {
  let trials = 0
  const chain = connectEvm({
    config: testNetwork([scene.sandbox.rpcUrl], {
      markets: [{ venue: 'uniswap-v2', ...scene.sandbox.market }],
    }),
    log: openLog('silent'),
    clock: systemClock,
    post: (posting) => {
      if (posting.body.includes('eth_simulateV1')) trials += 1
      const body = posting.body.replaceAll('eth_simulateV1', 'eth_simulateV0')
      return postText({ ...posting, body })
    },
  })
  for (const trick of ['none', 'approves from zero only'] as const) {
    const traded = await stage(trick, 5n * ETHER)
    const all = { ...traded, market: openTestMarket({ chain }, 'uniswap-v2', traded.token) }
    const { market, wallet, token } = all
    await leaveAllowance(all, 2n * ETHER)
    const draft = async (amount: bigint) =>
      await market.venue.draft(market.order(wallet.address, await market.quoted('sell', amount)))
    for (const amount of [ETHER, 3n * ETHER]) {
      const isFree = trick === 'none'
      expect(await draft(amount)).toMatchObject(
        isFree ? { ok: true, allowance: {} } : { ok: false, refusal: 'allowance_left' },
      )
    }
    const same = await draft(2n * ETHER)
    if (!same.ok) throw new Error(same.refusal)
    expect(same.allowance === null).toBe(trick !== 'none')
    expect((await market.land(wallet, same)).every(({ succeeded }) => succeeded)).toBe(true)
    expect(await allowed(token, wallet)).toBe(0n)
  }
  expect(trials).toBeGreaterThan(0)
})

async function allowed({ mint }: TradedToken, { address }: TestWallet): Promise<bigint> {
  const words = [address, scene.sandbox.market.router]
  const data = `0xdd62ed3e${words.map((each) => each.slice(2).toLowerCase().padStart(64, '0')).join('')}`
  return BigInt(String(await scene.rpc('eth_call', { to: mint, data }, 'latest')))
}
