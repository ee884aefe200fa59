import { RawJson } from '@florin/wire/raw-json.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../chains/chain.ts'
import { systemClock } from '../kernel/clock.ts'
import { storeTokens } from '../markets/token-store.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { listTokens } from './list.ts'
import { write } from '../store/test-write.ts'

const NOW = 1_790_000_000_000
const HOUR = 3_600_000
const DEEP = '0xDeep' as Address
const SHALLOW = `0x${'2'.repeat(40)}` as Address
const SILENT = '0xSilent' as Address
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('tokens come by what their pools hold, each with its own figures, and what nobody knows is null', async () => {
  const { store } = database
  const base = testNetwork(84_532)
  const usdc = { symbol: 'USDC', asset: SHALLOW, decimals: 6, takesCommitment: true }
  const config = { ...base, assets: [...base.assets, usdc] }
  const { network } = config
  const sql = (name: string, text: string, values: readonly unknown[]) =>
    write(store, name, text, values)
  await store.inTransaction('service', (tx) =>
    storeTokens(
      tx,
      network,
      [SILENT, SHALLOW, DEEP].map((mint) => ({
        ...{ mint, decimals: 6, symbol: mint.slice(2), name: null },
      })),
      NOW,
    ),
  )
  const reserves = `insert into market_reserves (network, market, mint, height, native, token, at)
    values ($1, $2, $3, $4, $5, $6, $7)`
  const at = new Date(NOW)
  for (const [market, mint, height, native, token] of [
    ['p1', DEEP, 1, '1', '1'],
    ['p1', DEEP, 2, `${8n * 10n ** 18n}`, '4000000'],
    ['p2', SHALLOW, 2, `${10n ** 17n}`, '1000000'],
  ] as const) {
    await sql('test_reserves', reserves, [network, market, mint, height, native, token, at])
  }
  const candle = `insert into market_candles
    (network, mint, seconds, start_at, open, high, low, close, native_volume, token_volume, trades)
    values ($1, $2, 60, $3, 1, 1, 1, $4, $5, 1, 1)`
  // A whole token was one native coin a day ago: 10^18 / 10^6 units, times 10^36.
  const dayAgo = `${10n ** 48n}`
  await sql('test_candle', candle, [network, DEEP, new Date(NOW - 25 * HOUR), dayAgo, '5'])
  const lately = [network, DEEP, new Date(NOW - HOUR), dayAgo, `${3n * 10n ** 17n}`]
  await sql('test_candle', candle, lately)

  const listed = await listTokens(
    { store, clock: { ...systemClock, nowMilliseconds: () => NOW } },
    scriptedChain(config, {}),
    10,
  )

  const token = { network, name: null, decimals: 6, priceUsd: null }
  expect(listed).toEqual([
    {
      ...{ ...token, mint: DEEP, symbol: 'Deep', price: new RawJson('2') },
      priceChange24h: new RawJson('100'),
      liquidity: new RawJson('16'),
      volume24h: new RawJson('0.3'),
    },
    {
      ...{ ...token, mint: SHALLOW, symbol: 'USDC', price: new RawJson('0.1') },
      priceChange24h: null,
      liquidity: new RawJson('0.2'),
      volume24h: new RawJson('0'),
    },
    {
      ...{ ...token, mint: SILENT, symbol: 'Silent', price: null },
      ...{ priceChange24h: null, liquidity: null, volume24h: new RawJson('0') },
    },
  ])
})
