import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { TokenFacts } from '../chains/token-reader.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'
import { assetOf, openTokens } from './tokens.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const MINT = `0x${'7a'.repeat(20)}` as Address

/** A token of so many decimals, as its chain tells it. */
function tokenOf(chain: Chain, decimals: number) {
  const told: Partial<TokenFacts> = { decimals, symbol: 'ODD' }
  const tokens: Partial<Chain['tokens']> = { facts: async () => [told as TokenFacts] }
  const telling = { ...chain, parseAddress: () => MINT, tokens } as Chain
  return openTokens({ clock: systemClock }).of(telling, MINT)
}

test('what is said to be a token can be sold with any number of decimals that is taken', async () => {
  const balances = () => ({
    ...{ native: 1_000_000n, asset: 1_000_000n, height: 100n },
    blockHash: '0-100',
  })
  const scene = await openTradingScene(database.store, 5_900_201, () => [
    scriptedVenue({ rate: 1n, balances }),
  ])
  for (const decimals of [0, 77]) {
    const token = await tokenOf(scene.chain, decimals)
    const { state } = await scene.trade({ side: 'sell', token, asset: assetOf(token) })
    expect(state.status).toBe('pending')
  }
  await expect(tokenOf(scene.chain, 78)).rejects.toMatchObject({ code: 'INVALID_MINT' })
})
