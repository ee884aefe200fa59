import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { TokenHolding } from '../chains/token-reader.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { openTestMarketChain, TEST_MINTS } from '../markets/test-market-chain.ts'
import { storeTokens } from '../markets/token-store.ts'
import { storeReserves } from '../markets/trade-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { portfolioOf } from './portfolio.ts'

const ETHER = 10n ** 18n
const WALLET = `0x${'d'.repeat(40)}` as Address
const [PRICED, DEEPER, UNPRICED] = TEST_MINTS

let database: TestDatabase
let asked: readonly string[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  const { config } = openTestMarketChain().chain
  await database.store.inTransaction('service', async (tx) => {
    for (const [mint, native, token] of [
      [PRICED, 10n * ETHER, 1_000_000_000n],
      [DEEPER, 20n * ETHER, 1_000_000_000n],
    ] as const) {
      await storeReserves(tx, config.network, [
        {
          kind: 'reserves',
          venue: 'uniswap-v2',
          effectIndex: 0,
          timeMilliseconds: 0,
          height: 1n,
          transactionHash: '0x1' as TransactionHash,
          blockHash: '0x1',
          market: mint,
          mint,
          native,
          token,
        },
      ])
      await storeTokens(tx, config.network, [{ mint, decimals: 6, symbol: 'T', name: null }], 0)
    }
  })
})
afterAll(() => database.close())

async function portfolioWith(
  native: bigint,
  tokens: readonly TokenHolding[],
  unread: readonly Address[] = [],
  change: Partial<NetworkConfig> = {},
) {
  const { chain: made } = openTestMarketChain({
    holdings: async (_, known) => {
      asked = known
      return { height: 7n, native, tokens, unread }
    },
  })
  const chain = { ...made, config: { ...made.config, ...change } }
  const deps = { store: database.store, symbolOf: () => null }
  return await portfolioOf(deps, chain, WALLET)
}

const holding = (mint: Address, amount: bigint): TokenHolding => ({ mint, decimals: 6, amount })

describe('a portfolio', () => {
  test('adds up what has a value, the most valuable first, and counts the rest', async () => {
    const found = await portfolioWith(3n * ETHER, [
      holding(UNPRICED, 5n),
      holding(PRICED, 100_000_000n),
      holding(DEEPER, 200_000_000n),
    ])
    expect(found.tokens.map(({ mint, valueBaseUnits }) => [mint, valueBaseUnits])).toEqual([
      [DEEPER, `${4n * ETHER}`],
      [PRICED, `${ETHER}`],
      [UNPRICED, null],
    ])
    expect(found.totalValueBaseUnits).toBe(`${8n * ETHER}`)
    expect(found).toMatchObject({ unvalued: 1, totalValueUsd: null, blockHeight: 7 })
    expect(found.tokens[2]).toMatchObject({
      price: null,
      value: null,
      valueUsd: null,
      symbol: null,
    })
  })

  test('holds no riches that the market could not pay', async () => {
    const found = await portfolioWith(ETHER, [holding(PRICED, 10n ** 40n)])
    expect(found.tokens[0]).toMatchObject({ value: null, valueBaseUnits: null })
    expect(found.tokens[0]?.price).not.toBeNull()
    expect(found.totalValueBaseUnits).toBe(`${ETHER}`)
    expect(found.unvalued).toBe(1)
  })

  test('names a configured asset that could not be read, and no token of a stranger', async () => {
    expect(await portfolioWith(ETHER, [])).not.toHaveProperty('unread')
    const usdc = asked.find((mint) => mint !== PRICED && mint !== DEEPER)
    const found = await portfolioWith(ETHER, [], [PRICED, usdc as Address])
    expect(found.unread).toEqual([{ mint: usdc, symbol: null }])
  })

  test('holds a token that is the native currency as that alone, whatever its market says', async () => {
    const { assets } = openTestMarketChain().chain.config
    const asset = { symbol: 'USDC', decimals: 6, takesCommitment: false, asset: PRICED }
    const named: NetworkConfig['assets'] = [...assets, { ...asset, isCurrency: true }]
    const tokens = [holding(PRICED, 100_000_000n)]
    const found = await portfolioWith(3n * ETHER, tokens, [PRICED], { assets: named })
    expect(asked).not.toContain(PRICED)
    expect(found).toMatchObject({ tokens: [], totalValueBaseUnits: `${3n * ETHER}` })
    expect(found).not.toHaveProperty('unread')
  })

  test('asks for the configured assets and the tokens of markets, and shows what is held of them', async () => {
    const found = await portfolioWith(0n, [holding(PRICED, 0n)])
    expect(found.tokens).toEqual([])
    expect(asked).toEqual(expect.arrayContaining([PRICED, DEEPER]))
    expect(asked).toHaveLength(3)
    expect(asked).not.toContain('native')
  })
})
