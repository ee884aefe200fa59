import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradingScene } from './test-trading.ts'
import { moved, POOL, scriptedVenue } from './test-venue.ts'

const BROUGHT = 3_000n
const OTHERS = 1_500n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test.each([
  ['was told', true, 5_860_001],
  ['no node tells of', false, 5_860_002],
])(
  'a trade that %s is in no look from before its block, though another send of the same transaction looked later at other money',
  async (_, isTold, chainId) => {
    let has = { native: 100_000n, token: 0n }
    const hook: { between?: () => Promise<void> } = {}
    const [sold, bought] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const scene = await openTradingScene(database.store, chainId, (tip) => {
      const looking = (asset: 'native' | 'token') =>
        scriptedVenue({
          rate: 3n,
          balances: () => ({
            ...{ native: has.native, asset: has[asset] },
            ...{ height: tip().height, blockHash: tip().hash },
          }),
        })
      const venue = looking('native')
      return [
        {
          ...venue,
          // The sale looks, something happens, the purchase looks, and both are handed in together.
          draft: async (order) => {
            const { between } = hook
            if (between === undefined) return venue.draft(order)
            if (order.quote.side === 'sell') {
              const drafted = await looking('token').draft(order)
              sold.resolve()
              await bought.promise
              return drafted
            }
            await sold.promise
            await between()
            const drafted = await venue.draft(order)
            bought.resolve()
            await bought.promise
            return drafted
          },
        },
      ]
    })
    const { trade } = await scene.trade()
    const hash = scene.sent.at(-1)
    if (hash === undefined) throw new Error('nothing was sent')
    const mined = { hash, transfers: [moved(TOKEN, POOL, scene.wallet.address, BROUGHT)] }
    if (!isTold) scene.untold.add(hash)
    has.token = OTHERS
    hook.between = async () => {
      await scene.mine([mined])
      has = { native: 98_993n, token: OTHERS + BROUGHT }
    }
    const both = await Promise.all([scene.trade({ side: 'sell' }), scene.trade()])
    expect(both.map(({ state }) => state.status)).toEqual(['pending', 'pending'])
    expect(await scene.books(TOKEN)).toEqual({ available: OTHERS - 1_000n, held: 1_000n })
    scene.untold.clear()
    await scene.ask()
    await scene.finalize()
    expect((await scene.standing(trade)).state.status).toBe('settled')
    const whole = { available: OTHERS + BROUGHT - 1_000n, held: 1_000n }
    expect(await scene.books(TOKEN)).toEqual(whole)
    await scene.expectSound()
  },
)
