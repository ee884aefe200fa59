import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { ratioOf } from './price.ts'
import { storeReserves } from './trade-store.ts'
import { usdPerToken, usdRate, usdText } from './usd.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const ETHER = 10n ** 18n
const config = testNetwork(84_532)
const usdc = config.assets[1]?.asset ?? ''
const rateWith = (usd: typeof config.usd) =>
  database.store.inTransaction('service', (tx) =>
    usdRate(
      tx,
      usd === undefined ? { network: config.network, assets: config.assets } : { ...config, usd },
    ),
  )

test('without a reference, or without a market of it, nobody knows what anything is in dollars', async () => {
  expect(await rateWith(undefined)).toBeNull()
  expect(await rateWith({ kind: 'token', asset: usdc })).toBeNull()
  expect(usdText(ETHER, null)).toBeNull()
  expect(usdText(null, 5n)).toBeNull()
  expect(usdPerToken(5n, 6, null)).toBeNull()
})

test('a fixed rate is what the operator says', async () => {
  const rate = await rateWith({ kind: 'fixed', perNative: '3000.5' })
  expect(usdText(ETHER, rate)).toBe('3000.5')
  expect(usdText(2n * 10n ** 15n, rate)).toBe('6.001')
})

test('a dollar token that is the native currency needs no market to say so', async () => {
  const assets = config.assets.map((each) =>
    each.asset === usdc ? { ...each, isCurrency: true as const } : each,
  )
  const usd = { kind: 'token', asset: usdc } as const
  const rate = await database.store.inTransaction('service', (tx) =>
    usdRate(tx, { ...config, assets, usd }),
  )
  expect(usdText(3n * ETHER, rate)).toBe('3')
})

test('the pool of a dollar token says it, and that token is worth one dollar itself', async () => {
  const place = {
    kind: 'reserves',
    venue: 'uniswap-v2',
    effectIndex: 0,
    timeMilliseconds: 0,
    height: 1n,
    transactionHash: '0x1' as TransactionHash,
    blockHash: '0x1',
  } as const
  const native = 7n * ETHER
  const token = 21_001_000_000n
  const [market, mint] = ['pool', usdc].map((text) => text as Address)
  if (market === undefined || mint === undefined) throw new Error('two addresses')
  await database.store.inTransaction('service', (tx) =>
    storeReserves(tx, config.network, [{ ...place, market, mint, native, token }]),
  )
  const known = await rateWith({ kind: 'token', asset: usdc })
  expect(usdText(ETHER, known)).toBe('3000.14285714')
  const ratio = ratioOf(native, token)
  expect(ratio && usdPerToken(ratio, 6, known)).toBe('1')
})
