import fc from 'fast-check'
import { createPublicClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../kernel/until.ts'
import { NodeFailure } from '../../chain.ts'
import type { TradeSide, TradedToken, Venue } from '../../venue.ts'
import { requireAddress } from '../account.ts'
import { ETHER, startTestChain } from '../test-chain.ts'
import type { TestChain } from '../test-chain.ts'
import { amountOut } from './constant-product.ts'
import { openTestMarket } from './test-market.ts'
import type { TestMarket } from './test-market.ts'

const ROUTER_ABI = parseAbi([
  'function getAmountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) pure returns (uint256)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
])
const TOKEN_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

let scene: TestChain
let market: TestMarket
let venue: Venue
let token: TradedToken
const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`
const client = () => createPublicClient({ transport: http(scene.sandbox.rpcUrl) })

beforeAll(async () => {
  scene = await startTestChain()
  const [first] = scene.sandbox.tokens
  if (first === undefined) throw new Error('nothing is traded here')
  token = { ...first, mint: requireAddress(first.mint) }
  market = openTestMarket(scene, 'uniswap-v2', token)
  venue = market.venue
})
afterAll(async () => {
  await scene.sandbox.stop()
})

const balanceOf = async (owner: string, mint: string = token.mint): Promise<bigint> =>
  await client().readContract({
    abi: TOKEN_ABI,
    address: hex(mint),
    functionName: 'balanceOf',
    args: [hex(owner)],
  })

describe('quotes of uniswap-v2', () => {
  test('are what the router itself would say, on both sides, for any amount', async () => {
    const chain = client()
    const path = [hex(scene.sandbox.market.wrappedNative), hex(token.mint)] as const
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<TradeSide>('buy', 'sell'),
        fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }),
        async (side, amountIn) => {
          const args = [amountIn, side === 'buy' ? path : path.toReversed()] as const
          const said = await chain.readContract({
            abi: ROUTER_ABI,
            address: hex(scene.sandbox.market.router),
            functionName: 'getAmountsOut',
            args,
          })
          expect((await market.quoted(side, amountIn)).amountOut).toBe(said.at(-1))
        },
      ),
      { numRuns: 25 },
    )
  })

  test('have the arithmetic of the contract, to the base unit', async () => {
    const chain = client()
    const amount = fc.bigInt({ min: 1n, max: 2n ** 100n })
    await fc.assert(
      fc.asyncProperty(amount, amount, amount, async (amountIn, reserveIn, reserveOut) => {
        const said = await chain.readContract({
          abi: ROUTER_ABI,
          address: hex(scene.sandbox.market.router),
          functionName: 'getAmountOut',
          args: [amountIn, reserveIn, reserveOut],
        })
        expect(amountOut(amountIn, { reserveIn, reserveOut })).toBe(said)
      }),
      { numRuns: 50 },
    )
  })

  test('tell a token without a pool from an amount that is too small or too large', async () => {
    const strange = { ...token, mint: requireAddress(`0x${'77'.repeat(20)}`) }
    const no = { ok: false, refusal: 'no_market' }
    expect(await venue.quote({ side: 'buy', token: strange, amountIn: ETHER })).toEqual(no)
    const thin = { ok: false, refusal: 'insufficient_liquidity' }
    expect(await venue.quote({ side: 'sell', token, amountIn: 1n })).toEqual(thin)
    expect(await venue.quote({ side: 'sell', token, amountIn: 2n ** 112n })).toEqual(thin)
    expect(await venue.quote({ side: 'buy', token, amountIn: 0n })).toEqual(thin)
  })

  test('that are asked for together share one round trip, and the next ones need none', async () => {
    await market.quoted('buy', ETHER)
    await scene.sandbox.mine()
    await scene.chain.head()
    scene.requests()
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => market.quoted('buy', BigInt(index) + ETHER)),
    )
    expect(scene.requests()).toBe(1)
  })

  test('are of the newest block that is known', async () => {
    await market.quoted('buy', ETHER)
    await scene.sandbox.mine()
    const { height } = await scene.chain.head()
    expect((await market.quoted('buy', ETHER)).height).toBeGreaterThanOrEqual(height)
  })
})

describe('a buy through uniswap-v2', () => {
  test('gives exactly what was quoted, for exactly what was offered, and the chain shows it', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const outcome = await market.drafted(market.order(wallet.address, quote))
    expect(outcome.counterparty).toBe(scene.sandbox.market.router)
    expect(outcome.allowance).toBeNull()
    expect(outcome.draft.balances).toMatchObject({ native: 5n * ETHER, asset: 5n * ETHER })
    const { height, blockHash } = outcome.draft.balances
    const [block] = await scene.chain.blocks(height, 1)
    expect([block?.hash, null]).toContain(blockHash)
    const [swap] = await market.land(wallet, outcome)
    expect(swap?.succeeded).toBe(true)
    const received = market.received(wallet, quote, swap)
    expect(received).toBe(quote.amountOut)
    expect(await balanceOf(wallet.address)).toBe(received)
    const left = 5n * ETHER - ETHER - (swap?.feePaid ?? 0n)
    expect(await scene.balanceOf(wallet.address)).toBe(left)
    expect(swap?.feePaid).toBeLessThanOrEqual(outcome.draft.feeCeiling)
  })

  test('says that the price moved when the minimum is out of reach', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const quote = await market.quoted('buy', ETHER)
    const order = market.order(wallet.address, quote, { minimumOut: quote.amountOut + 1n })
    expect(await venue.draft(order)).toEqual({ ok: false, refusal: 'price_moved' })
  })

  test('of a wallet that is short is drafted all the same, so that its balance can be told', async () => {
    const wallet = await scene.wallet(['native', '0.5'])
    const { draft } = await market.drafted(
      market.order(wallet.address, await market.quoted('buy', ETHER)),
    )
    expect(draft.balances.native).toBe(ETHER / 2n)
    expect(draft.feeCeiling).toBeGreaterThan(0n)
  })

  test('gives nothing less than the minimum when others were faster, and then costs its fee alone', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const rival = await scene.wallet(['native', '50'])
    const quote = await market.quoted('buy', ETHER)
    const minimumOut = quote.amountOut
    const drafted = await market.drafted(market.order(wallet.address, quote, { minimumOut }))
    const faster = await market.quoted('buy', 20n * ETHER)
    await market.land(rival, await market.drafted(market.order(rival.address, faster)))
    const [swap] = await market.land(wallet, drafted)
    expect(swap?.succeeded).toBe(false)
    expect(market.received(wallet, quote, swap)).toBeNull()
    expect(await balanceOf(wallet.address)).toBe(0n)
    expect(await scene.balanceOf(wallet.address)).toBe(5n * ETHER - (swap?.feePaid ?? 0n))
  })

  test('comes to nothing after its ten minutes, which the time of the chain tells', async () => {
    const wallet = await scene.wallet(['native', '5'])
    const late = await market.drafted(
      market.order(wallet.address, await market.quoted('buy', ETHER)),
    )
    await scene.rpc('evm_increaseTime', 700)
    await scene.sandbox.mine()
    const [swap] = await market.land(wallet, late)
    expect(swap?.succeeded).toBe(false)
    const quote = await market.quoted('buy', ETHER)
    const next = await until(
      'a draft knows of the leap',
      async () => {
        try {
          return await market.drafted(market.order(wallet.address, quote))
        } catch (error) {
          if (error instanceof NodeFailure) return undefined
          throw error
        }
      },
      { seconds: 60 },
    )
    expect((await market.land(wallet, next)).map(({ succeeded }) => succeeded)).toEqual([true])
  })
})
