import { createPublicClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { openLog } from '../../../kernel/log.ts'
import type { MarketConfig } from '../../../kernel/network-config.ts'
import type { Chain } from '../../chain.ts'
import type { MarketFact } from '../../market.ts'
import type { TradedToken } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { connectEvm } from '../connect.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { testNetwork } from '../test-network.ts'
import { openTestMarket } from './test-market.ts'
import type { Mined, TestMarket } from './test-market.ts'
import { openTestMaker } from './test-token.ts'
import type { TestMaker } from './test-token.ts'
import { deployUniswapV3, openPoolV3 } from './test-uniswap-v3.ts'
import { postText } from '../../json-rpc/post-text.ts'

const ABI = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256, uint160[], uint32[], uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])
const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`

type Kind = 'uniswap-v2' | 'uniswap-v3'
interface Stage {
  readonly chain: Chain
  readonly market: TestMarket
  readonly router: string
  /** Has a pool against the native currency. */
  readonly hub: TradedToken
  /** Has one against the hub alone. */
  readonly token: TradedToken
}

let scene: TestChain
let maker: TestMaker
let stages: Readonly<Record<Kind, Stage>>
let v3: Awaited<ReturnType<typeof deployUniswapV3>>

function connect(market: MarketConfig): { chain: Chain; requests: () => number } {
  let requests = 0
  const chain = connectEvm({
    config: testNetwork([scene.sandbox.rpcUrl], { markets: [market] }),
    log: openLog('silent'),
    clock: systemClock,
    post: (posting) => {
      requests += 1
      return postText(posting)
    },
  })
  return { chain, requests: () => requests }
}

beforeAll(async () => {
  scene = await startTestChain()
  maker = await openTestMaker(scene)
  v3 = await deployUniswapV3(scene, maker)
  const hub = await maker.token('none')
  const token = await maker.tokenAgainst(hub, 10_000n * ETHER)
  await openPoolV3(scene, maker, v3.manager, { token: hub, fee: 3_000, amount: 200n * ETHER })
  await openPoolV3(scene, maker, v3.manager, { token: hub, fee: 500, amount: 20n * ETHER })
  for (const [fee, amount] of [
    [10_000, 100n],
    [3_000, 300n],
  ] as const) {
    const pool = { token, fee, amount: amount * ETHER, against: hub }
    await openPoolV3(scene, maker, v3.manager, pool)
  }
  const stageOf = (kind: Kind, config: MarketConfig, router: string): Stage => {
    const { chain } = connect(config)
    return { chain, router, hub, token, market: openTestMarket({ chain }, kind, token) }
  }
  const hubs = [hub.mint]
  const v2 = { venue: 'uniswap-v2', ...scene.sandbox.market, hubs } as const
  stages = {
    'uniswap-v2': stageOf('uniswap-v2', v2, v2.router),
    'uniswap-v3': stageOf('uniswap-v3', { ...v3.market, hubs }, v3.market.router),
  }
}, 120_000)
afterAll(async () => {
  await scene.sandbox.stop()
})

const client = () => createPublicClient({ transport: http(scene.sandbox.rpcUrl) })
const heldOf = async ({ mint }: TradedToken, owner: string): Promise<bigint> =>
  await client().readContract({
    ...{ abi: ABI, address: hex(mint), functionName: 'balanceOf' },
    args: [hex(owner)],
  })
const sent = ({ transfers }: Mined, from: string, asset: string): bigint =>
  transfers
    .filter((each) => each.from === from && each.asset === asset)
    .reduce((sum, { amount }) => sum + amount, 0n)

/** What the contracts themselves say of the way through the hub. */
async function said(kind: Kind, side: 'buy' | 'sell', amountIn: bigint): Promise<bigint> {
  const { hub, token } = stages[kind]
  const weth = scene.sandbox.market.wrappedNative
  const path = [weth, hub.mint, token.mint].map(hex)
  if (side === 'sell') path.reverse()
  if (kind === 'uniswap-v2') {
    const amounts = await client().readContract({
      ...{ abi: ABI, address: hex(scene.sandbox.market.router), functionName: 'getAmountsOut' },
      args: [amountIn, path],
    })
    return amounts.at(-1) ?? 0n
  }
  const ways = [500, 3_000].flatMap((first) => [3_000, 10_000].map((second) => [first, second]))
  const outs = await Promise.all(
    ways.map(async (fees) => {
      const tiers = side === 'buy' ? fees : fees.toReversed()
      const packed = path.map((each, index) => {
        const tier = tiers[index]
        return each.slice(2) + (tier === undefined ? '' : tier.toString(16).padStart(6, '0'))
      })
      const { result } = await client().simulateContract({
        ...{ abi: ABI, address: hex(v3.market.quoter), functionName: 'quoteExactInput' },
        args: [`0x${packed.join('')}`, amountIn],
      })
      return result[0]
    }),
  )
  return outs.reduce((most, out) => (out > most ? out : most), 0n)
}

describe.each(['uniswap-v2', 'uniswap-v3'] as const)('a token behind a hub on %s', (kind) => {
  test('is quoted as the contracts say, both ways, over the best of its pools', async () => {
    const { market, chain } = stages[kind]
    await chain.head()
    for (const side of ['buy', 'sell'] as const) {
      for (const amountIn of [10n ** 12n, ETHER / 3n, 2n * ETHER]) {
        const quote = await market.quoted(side, amountIn)
        expect(quote.amountOut).toBe(await said(kind, side, amountIn))
        expect(quote.priceImpactBasisPoints ?? -1n).toBeGreaterThanOrEqual(0n)
      }
    }
    const small = await market.quoted('buy', 10n ** 12n)
    const large = await market.quoted('buy', 5n * ETHER)
    expect(large.priceImpactBasisPoints ?? 0n).toBeGreaterThan(small.priceImpactBasisPoints ?? 0n)
  })

  test('is bought and sold in one transaction each, to the base unit, and nothing stays behind', async () => {
    const { market, hub, token, router, chain } = stages[kind]
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const [buy] = await market.land(
      wallet,
      await market.drafted(market.order(wallet.address, quote)),
    )
    if (buy === undefined) throw new Error('nothing was mined')
    expect(buy.succeeded).toBe(true)
    expect(market.received(wallet, quote, buy)).toBe(quote.amountOut)
    expect(await heldOf(token, wallet.address)).toBe(quote.amountOut)
    expect(await scene.balanceOf(wallet.address)).toBe(5n * ETHER - ETHER - buy.feePaid)

    // From here on the block of the buy is known of, and no older state is believed.
    await chain.head()
    const back = await market.quoted('sell', quote.amountOut)
    const drafted = await market.drafted(market.order(wallet.address, back))
    expect(drafted.counterparty).toBe(back.route['pool'])
    const landed = await market.land(wallet, drafted)
    const sale = landed.at(-1)
    if (sale === undefined) throw new Error('nothing was mined')
    expect(sale.succeeded).toBe(true)
    expect(sent(sale, wallet.address, token.mint)).toBe(quote.amountOut)
    expect(market.taken(wallet, back, sale)).toBe(quote.amountOut)
    expect(market.taken(wallet, quote, buy)).toBe(ETHER)
    expect(market.received(wallet, back, sale)).toBe(back.amountOut)
    const fees = [buy, ...landed].reduce((sum, { feePaid }) => sum + feePaid, 0n)
    const left = 4n * ETHER + back.amountOut - fees
    expect(await scene.balanceOf(wallet.address)).toBe(left)
    expect(await heldOf(token, wallet.address)).toBe(0n)
    for (const owner of [wallet.address, router]) expect(await heldOf(hub, owner)).toBe(0n)
    const allowed = await client().readContract({
      ...{ abi: ABI, address: hex(token.mint), functionName: 'allowance' },
      args: [hex(wallet.address), hex(router)],
    })
    expect(allowed).toBe(0n)

    // Only the pool with the native currency is a market, and each of the two swaps is one trade of it.
    const blocks = await Promise.all([buy, sale].map(({ height }) => chain.blocks(height, 1)))
    const facts = (await chain.market?.read(blocks.flat())) ?? []
    const trades = facts.filter((fact) => fact.kind === 'trade')
    expect(trades).toMatchObject([
      { side: 'buy', mint: hub.mint, market: quote.route['hubPool'], nativeAmount: ETHER },
      { side: 'sell', mint: hub.mint, nativeAmount: back.amountOut, trader: wallet.address },
    ])
    // The other says what the token costs in the hub: by what it holds, or by what moved where its logs do not show that.
    const shown = facts.filter((fact) => fact.kind === 'hub')
    const pool = requireAddress(back.route['pool'] ?? '')
    const isHeld = kind === 'uniswap-v2'
    const place = { mint: token.mint, hub: hub.mint, market: pool, isHeld }
    expect(shown).toMatchObject([
      { ...place, market: quote.route['pool'], height: buy.height },
      { ...place, height: sale.height },
    ])
    const [last] = shown.slice(-1)
    expect(last?.tokenAmount).toBe(isHeld ? await heldOf(token, pool) : quote.amountOut)
    const moved = sent(sale, pool, hub.mint)
    expect(last?.hubAmount).toBe(isHeld ? await heldOf(hub, pool) : moved)
  })

  test('gives nothing less than the minimum over the whole way when others were faster', async () => {
    const { market, token, chain } = stages[kind]
    const wallet = await scene.wallet(['native', '5'])
    const rival = await scene.wallet(['native', '50'])
    const quote = await market.quoted('buy', ETHER)
    const { amountOut: minimumOut } = quote
    const drafted = await market.drafted(market.order(wallet.address, quote, { minimumOut }))
    const faster = await market.quoted('buy', 5n * ETHER)
    await market.land(rival, await market.drafted(market.order(rival.address, faster)))
    const [swap] = await market.land(wallet, drafted)
    await chain.head()
    expect(swap?.succeeded).toBe(false)
    expect(await heldOf(token, wallet.address)).toBe(0n)
    expect(await scene.balanceOf(wallet.address)).toBe(5n * ETHER - (swap?.feePaid ?? 0n))
    const order = market.order(wallet.address, quote, { minimumOut })
    expect(await market.venue.draft(order)).toEqual({ ok: false, refusal: 'price_moved' })
  })

  test('is said in plain words wherever its transaction is read', async () => {
    const { market, hub, token, chain } = stages[kind]
    const wallet = await scene.wallet(['native', '5'])
    await maker.mint(token, wallet.address, ETHER)
    const wordsOf = async (side: 'buy' | 'sell') => {
      const quote = await market.quoted(side, ETHER)
      const prepared = await market.venue.prepare(market.order(wallet.address, quote))
      if (!prepared.ok) throw new Error(prepared.refusal)
      const { transaction } = prepared.preparation.build([])
      const inspected = chain.selfCustody?.inspect(transaction)
      if (inspected?.ok !== true) throw new Error('it could not be read')
      return inspected.summary.others.join()
    }
    expect(await wordsOf('buy')).toMatch(new RegExp(`^buys at least .*${token.mint}.*${hub.mint}`))
    expect(await wordsOf('sell')).toMatch(new RegExp(`^sells .*${token.mint}.*${hub.mint}`))
  })

  test('has no market where no hub is configured', async () => {
    const { token } = stages[kind]
    const config =
      kind === 'uniswap-v2' ? { venue: kind, ...scene.sandbox.market } : { ...v3.market }
    const { chain } = connect(config)
    const [venue] = chain.venues ?? []
    const outcome = await venue?.quote({ side: 'buy', token, amountIn: ETHER })
    expect(outcome).toEqual({ ok: false, refusal: 'no_market' })
  })
})

test('a token with a pool of its own takes the way that gives most, and quotes of both are shared', async () => {
  const { hub } = stages['uniswap-v2']
  const direct = await maker.token('none')
  const hubs = [hub.mint, direct.mint]
  const { chain, requests } = connect({ venue: 'uniswap-v2', ...scene.sandbox.market, hubs })
  const market = openTestMarket({ chain }, 'uniswap-v2', direct)
  const quote = await market.quoted('buy', ETHER)
  expect(quote.route).not.toHaveProperty('hub')
  const before = requests()
  const quotes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => market.quoted('buy', ETHER + BigInt(index))),
  )
  expect(quotes).toHaveLength(50)
  // One for the states and one for each pair of the ways through hubs, however many ask.
  expect(requests() - before).toBeLessThanOrEqual(6)
})

test('a hub that keeps a part of what moves stops no trade on V2: the direct way is quoted, too', async () => {
  const hub = await maker.token('keeps a part')
  const token = await maker.tokenAgainst(hub, 1_000_000n * ETHER)
  await maker.pool(token, 900_000n * ETHER)
  const { chain } = connect({
    venue: 'uniswap-v2',
    ...scene.sandbox.market,
    hubs: [hub.mint],
  })
  const market = openTestMarket({ chain }, 'uniswap-v2', token)
  const wallet = await scene.wallet(['native', '5'])
  const outcome = await market.venue.quote({ side: 'buy', token, amountIn: ETHER })
  if (!outcome.ok) throw new Error(outcome.refusal)
  const { quote, others: [direct, ...rest] = [] } = outcome
  expect(requireAddress(quote.route['hub'] ?? '')).toBe(hub.mint)
  const minimumOut = (quote.amountOut * 98n) / 100n
  for (const ask of [market.venue.draft, market.venue.prepare]) {
    // Its pools say that it would give the minimum, so the price is not what it lacks.
    expect(await ask(market.order(wallet.address, quote, { minimumOut }))).toEqual({
      ok: false,
      refusal: 'less_than_quoted',
    })
  }
  if (direct === undefined) throw new Error('the direct pool quotes, too')
  expect(direct.route).not.toHaveProperty('hub')
  expect(direct.amountOut).toBeLessThan(quote.amountOut)
  expect(rest).toEqual([])
  const [buy] = await market.land(
    wallet,
    await market.drafted(market.order(wallet.address, direct, { minimumOut: direct.amountOut })),
  )
  expect(buy?.succeeded).toBe(true)
  expect(await heldOf(token, wallet.address)).toBe(direct.amountOut)
})

test('a token of V3 with a pool of its own is quoted by every way, the one that gives most first', async () => {
  const { hub } = stages['uniswap-v3']
  const token = await maker.tokenAgainst(hub, ETHER)
  const { manager, market: config } = v3
  await openPoolV3(scene, maker, manager, { token, fee: 3_000, amount: 5n * ETHER })
  await openPoolV3(scene, maker, manager, {
    ...{ token, fee: 3_000, amount: 300n * ETHER, against: hub },
  })
  const { chain } = connect({ ...config, hubs: [hub.mint] })
  const market = openTestMarket({ chain }, 'uniswap-v3', token)
  const wallet = await scene.wallet(['native', '5'])
  const outcome = await market.venue.quote({ side: 'buy', token, amountIn: ETHER })
  if (!outcome.ok) throw new Error(outcome.refusal)
  const { quote, others: [direct] = [] } = outcome
  if (direct === undefined) throw new Error('the direct pool quotes, too')
  expect(quote.route).toHaveProperty('hub')
  expect(direct.route).not.toHaveProperty('hub')
  expect(direct.amountOut).toBeLessThan(quote.amountOut)
  const [buy] = await market.land(
    wallet,
    await market.drafted(market.order(wallet.address, direct, { minimumOut: direct.amountOut })),
  )
  expect(buy?.succeeded).toBe(true)
  expect(await heldOf(token, wallet.address)).toBe(direct.amountOut)
})

test('what a second pool of V3 leaves of the token between goes to the wallet, and to nobody else', async () => {
  const hub = await maker.token('none')
  const thin = await maker.tokenAgainst(hub, ETHER)
  const { manager, market: config } = v3
  await openPoolV3(scene, maker, manager, { token: hub, fee: 3_000, amount: 200n * ETHER })
  await openPoolV3(scene, maker, manager, {
    ...{ token: thin, fee: 10_000, amount: 10n * ETHER, ticks: 600, against: hub },
  })
  const { chain } = connect({ ...config, hubs: [hub.mint] })
  const market = openTestMarket({ chain }, 'uniswap-v3', thin)
  const [wallet, rival] = [
    await scene.wallet(['native', '50']),
    await scene.wallet(['native', '50']),
  ]
  const quote = await market.quoted('buy', 5n * ETHER)
  const drafted = await market.drafted(market.order(wallet.address, quote, { minimumOut: 1n }))
  const faster = await market.quoted('buy', 8n * ETHER)
  await market.land(rival, await market.drafted(market.order(rival.address, faster)))
  // The way to the end of the prices costs more than a trial said, and that alone must not be what saves the money.
  const terms = { ...drafted.draft.terms, gas: '1500000' }
  const landed = await market.land(wallet, { ...drafted, draft: { ...drafted.draft, terms } })
  const swap = landed.at(-1)
  expect(swap?.succeeded).toBe(true)
  const left = await heldOf(hub, wallet.address)
  expect(left).toBeGreaterThan(0n)
  expect(await heldOf(hub, config.router)).toBe(0n)
  const received = market.received(wallet, quote, swap)
  expect(received).toBe(await heldOf(thin, wallet.address))
  expect(requireAddress(quote.route['hub'] ?? '')).toBe(hub.mint)
})

test('what a pool with a hub shows is no market, and costs no round trip of its own once the pool is known', async () => {
  const { hub, token } = stages['uniswap-v2']
  const v2 = { venue: 'uniswap-v2', ...scene.sandbox.market, hubs: [hub.mint] } as const
  const { chain, requests } = connect(v2)
  const { height } = await chain.head()
  const facts: MarketFact[] = []
  for (let from = 0n; from <= height; from += 10n) {
    facts.push(...((await chain.market?.read(await chain.blocks(from, 10))) ?? []))
  }
  const own = facts.filter(({ mint }) => mint === token.mint)
  expect(own.map(({ kind }) => kind)).toContain('hub')
  expect(own.map(({ kind }) => kind)).not.toContain('opened')
  const [first] = own
  const blocks = await chain.blocks(first?.height ?? 0n, 1)
  const before = requests()
  expect(await chain.market?.read(blocks)).toContainEqual(first)
  expect(requests() - before).toBe(1)
  // A market that names no hub takes nothing of it.
  const without = connect({ venue: 'uniswap-v2', ...scene.sandbox.market }).chain
  expect((await without.market?.read(blocks)) ?? []).not.toContainEqual(first)
})
