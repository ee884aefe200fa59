import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address } from '../chains/chain.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork, TOKEN } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import { scriptedVenue } from './test-venue.ts'
import { tokenFor } from './token-for.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a token that cannot be looked up hides no trade that the same request has made', async () => {
  const { store } = database
  const scene = await openTradingScene(store, 6_000_001, (tip) => [
    scriptedVenue({
      rate: 3n,
      balances: () => ({
        ...{ native: 10_000n, asset: 10_000n },
        ...{ height: tip().height, blockHash: tip().hash },
      }),
    }),
  ])
  const once = { key: 'mine', fingerprint: fingerprint({ amount: '1' }) }
  const { trade } = await scene.trade({ operation: 'buyToken', once })
  const lookUp = (key: string, operation = 'buyToken') =>
    tokenFor(
      {
        store,
        tokens: {
          of: async () => {
            throw new NodeFailure('away')
          },
        },
      },
      scene.chain,
      trade.token.mint,
      { accountId: scene.wallet.accountId, operation, once: { ...once, key } },
    )
  expect(await lookUp('mine')).toEqual(trade.token)
  await expect(lookUp('another')).rejects.toThrow(NodeFailure)
  await expect(lookUp('mine', 'sellToken')).rejects.toThrow(NodeFailure)
})

test('a token that is the native currency is not traded for itself', async () => {
  const { store } = database
  const { network, assets, ...rest } = testNetwork(5_042)
  const token = { mint: TOKEN as Address, decimals: 6, symbol: 'USDC' }
  const wish = (named: typeof assets) =>
    tokenFor(
      { store, tokens: { of: async () => token } },
      scriptedChain({ ...rest, network, assets: named }, {}),
      TOKEN,
      { accountId: newId(systemRandom, 'acct'), operation: 'buyToken', once: null },
    )
  expect(await wish(assets)).toEqual(token)
  await expect(
    wish(assets.map((each) => (each.asset === TOKEN ? { ...each, isCurrency: true } : each))),
  ).rejects.toMatchObject({ code: 'INVALID_MINT' })
})
