import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { proofKey } from '../chains/exact.ts'
import type { Draft } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { TOKEN } from '../payments/test-lane.ts'
import { EVM } from '../payments/test-records.ts'
import { commitPurchase } from '../purchases/commit.ts'
import type { Signing } from '../purchases/commit.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTradeBook } from './book.ts'
import { openTradingScene } from './test-trading.ts'
import { moved, POOL, scriptedVenue } from './test-venue.ts'

const BROUGHT = 3_000n
const PRICE = 1_000n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('what a purchase finds on chain is booked under the trade that brought it in, and not once more when that is final', async () => {
  const scene = await openTradingScene(database.store, 5_800_001, (tip) => [
    scriptedVenue({
      rate: 3n,
      balances: () => ({
        native: 100_000n,
        asset: 0n,
        height: tip().height,
        blockHash: tip().hash,
      }),
    }),
  ])
  await scene.trade()
  const hash = scene.sent.at(-1)
  if (hash === undefined) throw new Error('nothing was sent')
  const transfers = [moved(TOKEN, POOL, scene.wallet.address, BROUGHT)]
  await scene.mine([{ hash, transfers }])

  const { chain, wallet } = scene
  const asset = chain.config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const paymentId = newId(systemRandom, 'pay')
  const { height, hash: blockHash } = scene.tip()
  const draft = {
    ...{ laneLatest: 0n, feeCeiling: 0n },
    balances: { native: 100_000n, asset: BROUGHT, height, blockHash },
  } as Partial<Draft> as Draft
  const signing: Partial<Signing> = {
    ...{ chain, wallet, draft, asset, paymentId, once: null, metadataText: null },
    ...{ ceiling: baseUnits(PRICE), url: 'https://shop.example/report' },
    ...{ requestDigest: systemRandom.bytes(32), nowMilliseconds: Date.now() },
    killPoint: () => undefined,
    demand: { x402Version: 2, resource: null, extensions: null } as Partial<
      Signing['demand']
    > as Signing['demand'],
    choice: { payTo: EVM, amount: baseUnits(PRICE), offer: {} } as Partial<
      Signing['choice']
    > as Signing['choice'],
    prepared: {
      sign: async () => ({
        authorization: {
          ...{ proofKey: proofKey(paymentId), payer: wallet.address, asset, payTo: EVM },
          ...{
            amount: baseUnits(PRICE),
            validBeforeSeconds: 2n ** 40n,
            feePayer: null,
            stored: {},
          },
        },
        ...{ lastValidBlockHeight: null, payload: {} },
      }),
    } as Partial<Signing['prepared']> as Signing['prepared'],
    trades: openTradeBook({
      chains: new Map([[chain.config.network, chain]]),
      log: openLog('silent'),
    }),
  }
  const decided = await database.store.inTransaction(wallet.accountId, (tx) =>
    commitPurchase(tx, signing as Signing),
  )
  expect(decided).toMatchObject({ kind: 'committed' })
  const once = { available: BROUGHT - PRICE, held: PRICE }
  expect(await scene.books(TOKEN)).toEqual(once)
  await scene.finalize()
  expect(await scene.books(TOKEN)).toEqual(once)
})
