import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { openTradingScene } from './test-trading.ts'
import type { TradingScene } from './test-trading.ts'
import { moved, POOL, ROUTER, scriptedVenue } from './test-venue.ts'
import { soldFields } from './view.ts'
import type { VenueScript } from './test-venue.ts'

let database: TestDatabase
let networks = 0
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let scene: TradingScene
let best: VenueScript
let other: VenueScript
/** What the chain says that the wallet has. */
let has: { native: bigint; token: bigint }
/** Of what goes in. */
let goesIn: 'native' | 'token'
beforeEach(async () => {
  has = { native: 10_000n, token: 0n }
  goesIn = 'native'
  scene = await openTradingScene(database.store, 5_000_000 + (networks += 1), (tip) => {
    const balances = () => ({
      native: has.native,
      asset: has[goesIn],
      height: tip().height,
      blockHash: tip().hash,
    })
    best = { rate: 3n, balances }
    other = { rate: 2n, balances }
    return [scriptedVenue(other, 'uniswap-v3'), scriptedVenue(best)]
  })
  return () => scene.expectSound()
})

const hashOf = (index: number) => {
  const hash = scene.sent.at(index)
  if (hash === undefined) throw new Error('nothing was sent')
  return hash
}
const codeOf = async (work: Promise<unknown>) => {
  try {
    await work
    return 'no refusal'
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}
/** A sale of 1,000 tokens that needs an allowance, signed and sent. */
const sell = async (fields: Parameters<TradingScene['trade']>[0] = {}) => {
  goesIn = 'token'
  has.token = 5_000n
  best.needsAllowance = true
  const { trade } = await scene.trade({ side: 'sell', ...fields })
  return { trade, allowance: hashOf(-2), swap: hashOf(-1) }
}
const gives = (amount: bigint, asset = 'native') => [
  moved(TOKEN, scene.wallet.address, POOL, 1_000n, 0),
  moved(asset, ROUTER, scene.wallet.address, amount, 1),
]

describe('a quote', () => {
  test('is the best of the venues, and the least is what slippage leaves of it', async () => {
    const { trade } = await scene.trade()
    expect(trade).toMatchObject({ venue: 'uniswap-v2', quotedOut: 3_000n, minimumOut: 2_700n })
  })

  test('leaves out a venue that cannot be asked, and is none when nobody else trades it', async () => {
    best.quote = async () => {
      throw new NodeFailure('away')
    }
    expect((await scene.trade()).trade).toMatchObject({ venue: 'uniswap-v3', quotedOut: 2_000n })
    other.rate = null
    await expect(scene.trade()).rejects.toBeInstanceOf(NodeFailure)
  })

  test('is refused where no market trades the token, or not for that much', async () => {
    best.rate = null
    other.rate = null
    expect(await codeOf(scene.trade())).toBe('INSUFFICIENT_LIQUIDITY')
    best.quote = async () => ({ ok: false, refusal: 'insufficient_liquidity' })
    expect(await codeOf(scene.trade())).toBe('INSUFFICIENT_LIQUIDITY')
  })
})

describe('what a venue refuses', () => {
  test.each([
    ['price_moved', 'SLIPPAGE_EXCEEDED'],
    ['less_than_quoted', 'SLIPPAGE_EXCEEDED'],
    ['no_market', 'INSUFFICIENT_LIQUIDITY'],
    ['allowance_left', 'INSUFFICIENT_LIQUIDITY'],
    ['insufficient_funds', 'INSUFFICIENT_BALANCE'],
  ] as const)('%s is %s, and stores nothing', async (refusal, code) => {
    best.refusal = refusal
    other.rate = null
    expect(await codeOf(scene.trade())).toBe(code)
    expect(scene.sent).toHaveLength(0)
    expect(await scene.books('native')).toEqual({ available: 0n, held: 0n })
  })

  test('a wallet that lacks what goes in, or the fee, is refused', async () => {
    has.native = 1_099n
    expect(await codeOf(scene.trade())).toBe('INSUFFICIENT_BALANCE')
    has.native = 1_100n
    expect((await scene.trade()).state.status).toBe('pending')
  })
})

describe('a buy', () => {
  test('says what came in once it is seen, forgets it with a reorg, and books it once', async () => {
    const { trade } = await scene.trade()
    const came = (amount: bigint) => [moved(TOKEN, POOL, scene.wallet.address, amount)]
    await scene.mine([{ hash: hashOf(-1), transfers: came(2_900n) }])
    const seen = await scene.standing(trade)
    expect(seen).toMatchObject({ trade: { received: 2_900n }, state: { status: 'confirmed' } })

    await scene.mine([], scene.tip().height)
    const gone = await scene.standing(trade)
    expect(gone).toMatchObject({ trade: { received: null }, state: { status: 'pending' } })

    await scene.mine([{ hash: hashOf(-1), transfers: came(2_800n) }])
    await scene.finalize()
    const done = await scene.standing(trade)
    expect(done).toMatchObject({ trade: { received: 2_800n }, state: { status: 'settled' } })
    expect(await scene.books(TOKEN)).toEqual({ available: 2_800n, held: 0n })
    expect(await scene.books('native')).toEqual({ available: 8_993n, held: 0n })
  })

  test('of a token that says to have moved more than there can be settles, and stops nobody', async () => {
    const { trade } = await scene.trade()
    const lie = 2n ** 256n - 1n
    const transfers = Array.from({ length: 9 }, (_, index) =>
      moved(TOKEN, POOL, scene.wallet.address, lie, index),
    )
    await scene.mine([{ hash: hashOf(-1), transfers }])
    await scene.finalize()
    const done = await scene.standing(trade)
    expect(done).toMatchObject({ trade: { received: null }, state: { status: 'settled' } })
    expect(await scene.books(TOKEN)).toEqual({ available: 0n, held: 0n })
  })

  test('can be sold on before it is final, and is booked once all the same', async () => {
    const { trade } = await scene.trade()
    await scene.mine([
      { hash: hashOf(-1), transfers: [moved(TOKEN, POOL, scene.wallet.address, 3_000n)] },
    ])
    has = { native: 8_993n, token: 3_000n }
    goesIn = 'token'
    const { trade: sale } = await scene.trade({
      side: 'sell',
      wanted: { kind: 'units', units: 3_000n },
    })
    expect(await scene.books(TOKEN)).toEqual({ available: 0n, held: 3_000n })
    await scene.mine([
      {
        hash: hashOf(-1),
        transfers: [
          moved(TOKEN, scene.wallet.address, POOL, 3_000n, 0),
          moved('native', ROUTER, scene.wallet.address, 9_000n, 1),
        ],
      },
    ])
    await scene.finalize()
    expect((await scene.standing(trade)).state.status).toBe('settled')
    expect((await scene.standing(sale)).trade.received).toBe(9_000n)
    expect(await scene.books(TOKEN)).toEqual({ available: 0n, held: 0n })
    expect(await scene.books('native')).toEqual({ available: 17_986n, held: 0n })
  })

  test('the same key is the same trade, also at the same moment', async () => {
    const once = { key: 'mine', fingerprint: fingerprint({ a: 1 }) }
    const [one, two] = await Promise.all([scene.trade({ once }), scene.trade({ once })])
    expect(two.trade.id).toBe(one.trade.id)
    expect(scene.sent).toHaveLength(1)
    const changed = { key: 'mine', fingerprint: fingerprint({ a: 2 }) }
    expect(await codeOf(scene.trade({ once: changed }))).toBe('IDEMPOTENCY_MISMATCH')
    // Buying and selling keep their keys apart.
    expect((await scene.trade({ once: changed, operation: 'sellToken' })).replayed).toBe(false)
  })
})

describe('a sale that needs an allowance', () => {
  test('goes out behind it, and its fee is that of both', async () => {
    const { trade, allowance, swap } = await sell()
    expect(await scene.books('native')).toEqual({ available: 9_860n, held: 140n })
    await scene.mine([{ hash: allowance, fee: 5n }])
    expect((await scene.standing(trade)).state).toMatchObject({ status: 'pending', feePaid: null })
    await scene.mine([{ hash: swap, fee: 11n, transfers: gives(2_900n) }])
    expect((await scene.standing(trade)).state).toMatchObject({ status: 'confirmed', feePaid: 16n })
    await scene.finalize()
    expect((await scene.standing(trade)).state).toMatchObject({ status: 'settled', feePaid: 16n })
    expect(await scene.books('native')).toEqual({ available: 10_000n - 16n + 2_900n, held: 0n })
    expect(await scene.books(TOKEN)).toEqual({ available: 4_000n, held: 0n })
  })

  test('reverted on chain keeps the tokens and pays for both', async () => {
    const { trade, allowance, swap } = await sell()
    await scene.mine([
      { hash: allowance, fee: 5n },
      { hash: swap, fee: 11n, succeeded: false },
    ])
    await scene.finalize()
    expect((await scene.standing(trade)).state).toMatchObject({
      status: 'failed',
      feePaid: 16n,
      failure: { reason: 'transaction_reverted' },
    })
    expect(await scene.books(TOKEN)).toEqual({ available: 5_000n, held: 0n })
    expect(await scene.books('native')).toEqual({ available: 9_984n, held: 0n })
  })

  test('whose allowance reverts fails by itself, and neither is lost from the books', async () => {
    const { trade, allowance, swap } = await sell()
    await scene.mine([{ hash: allowance, fee: 5n, succeeded: false }])
    await scene.finalize()
    expect((await scene.standing(trade)).state.status).toBe('pending')
    await scene.mine([{ hash: swap, fee: 11n, succeeded: false }])
    await scene.finalize()
    expect((await scene.standing(trade)).state).toMatchObject({ status: 'failed', feePaid: 16n })
  })

  test('that took a part only is not told as failed, and the books find the rest with the next look', async () => {
    const { trade, allowance, swap } = await sell()
    const transfers = [
      moved(TOKEN, scene.wallet.address, POOL, 400n, 0),
      moved('native', ROUTER, scene.wallet.address, 2_800n, 1),
    ]
    await scene.mine([
      { hash: allowance, fee: 5n },
      { hash: swap, fee: 11n, transfers },
    ])
    expect((await scene.standing(trade)).state.status).toBe('confirmed')
    await scene.finalize()
    const done = await scene.standing(trade)
    expect(done).toMatchObject({
      trade: { received: 2_800n, taken: 400n, amountIn: 1_000n },
      state: { status: 'settled' },
    })
    const { offeredBaseUnits, tokensSoldBaseUnits, amountBaseUnits, slippageUsed } = soldFields(
      ...[done.trade, done.state, scene.chain.config],
    )
    expect({ offeredBaseUnits, tokensSoldBaseUnits, amountBaseUnits }).toEqual({
      ...{ offeredBaseUnits: '1000', tokensSoldBaseUnits: '400', amountBaseUnits: '400' },
    })
    // 400 of 1,000 were quoted 1,200, and more came.
    expect(slippageUsed?.text).toBe('0')
    expect(await scene.books(TOKEN)).toEqual({ available: 4_000n, held: 0n })
    has = { native: 10_000n - 16n + 2_800n, token: 4_600n }
    await scene.trade({ side: 'sell' })
    expect(await scene.books(TOKEN)).toEqual({ available: 3_600n, held: 1_000n })
  })

  test('that took nothing of the token, or gave it to somebody else, has moved nothing', async () => {
    const { trade, allowance, swap } = await sell()
    const stranger = `0x${'99'.repeat(20)}`
    const transfers = [
      moved(TOKEN, scene.wallet.address, POOL, 0n, 0),
      moved(TOKEN, scene.wallet.address, stranger, 400n, 1),
      moved(TOKEN, stranger, POOL, 400n, 2),
      moved(TOKEN, scene.wallet.address, POOL, 1_001n, 3),
    ]
    await scene.mine([
      { hash: allowance, fee: 5n },
      { hash: swap, fee: 11n, transfers },
    ])
    await scene.finalize()
    expect((await scene.standing(trade)).state).toMatchObject({
      status: 'failed',
      failure: { reason: 'no_effect' },
    })
  })

  test('survives a reorg that takes both back', async () => {
    const { trade, allowance, swap } = await sell()
    const height = scene.tip().height + 1n
    const both = [
      { hash: allowance, fee: 5n },
      { hash: swap, fee: 11n, transfers: gives(2_900n) },
    ]
    await scene.mine(both)
    expect((await scene.standing(trade)).trade).toMatchObject({ taken: 1_000n })
    await scene.mine([], height)
    expect((await scene.standing(trade)).state).toMatchObject({ status: 'pending', feePaid: null })
    expect((await scene.standing(trade)).trade).toMatchObject({ taken: null })
    await scene.mine([{ hash: allowance, fee: 6n }])
    await scene.mine([{ hash: swap, fee: 12n, transfers: gives(2_800n) }])
    await scene.finalize()
    const done = await scene.standing(trade)
    expect(done).toMatchObject({ trade: { received: 2_800n }, state: { feePaid: 18n } })
  })

  test('of everything sells what the balance of its own block says', async () => {
    goesIn = 'token'
    has.token = 4_999n
    const { trade } = await scene.trade({
      side: 'sell',
      wanted: { kind: 'share', percent: '50' },
      // The first look at the balance says nothing of it: what the draft saw counts.
      chain: { ...scene.chain, balances: async () => ({ height: 1n, amounts: [77n] }) },
    })
    expect(trade.amountIn).toBe(2_499n)
  })
})

test('a trade whose bytes have outlived their lifetime is expired, and its money is free again', async () => {
  const { trade } = await scene.trade()
  expect(await scene.books('native')).toEqual({ available: 8_900n, held: 1_100n })
  await scene.expire(hashOf(-1))
  expect((await scene.standing(trade)).state).toMatchObject({ status: 'expired', failure: null })
  expect(await scene.books('native')).toEqual({ available: 10_000n, held: 0n })
})

test('the fee of an allowance is booked, also when nothing comes of the sale behind it', async () => {
  const { trade, allowance, swap } = await sell()
  const { available, held } = await scene.books('native')
  await scene.mine([{ hash: allowance, fee: 18n }])
  await scene.finalize()
  await scene.expire(swap)
  expect((await scene.standing(trade)).state.status).toBe('expired')
  expect(await scene.books('native')).toEqual({ available: available + held - 18n, held: 0n })
})

test('a trade that has provably failed is refused with its name', async () => {
  const once = { key: 'failed', fingerprint: fingerprint({}) }
  const { trade } = await scene.trade({ once })
  await scene.mine([{ hash: hashOf(-1), succeeded: false }])
  await scene.finalize()
  await expect(scene.trade({ once })).rejects.toMatchObject({
    code: 'TRANSACTION_FAILED',
    details: { tradeId: trade.id, reason: 'transaction_reverted' },
  })
})
