import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sighting } from '../chains/self-custody.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openDepositBook } from '../payments/deposits.ts'
import { openTestLane } from '../payments/test-lane.ts'
import { openModelChain } from '../payments/test-model-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { followBlocks } from './follow.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a round holds the claims that it tells something of before it moves a payment: others hold them in that order, too', async () => {
  const { store } = database
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, 5_000_002)
  const cursor = await lane.follow(0)
  const order = { asset: 'native', amount: 100n, feeCeiling: 10n, at: model.tip() }
  await lane.send([lane.prepare(order)])
  model.mine({ deposits: [], take: 1, feePercent: 50, reverts: false })
  const told: string[] = []
  const sighting = { height: model.tip().height } as Sighting
  const paymentBook = openPaymentBook({ clock: systemClock })
  await followBlocks(
    {
      chain: {
        ...lane.chain,
        blocks: async (from, count) => model.blocks(from, count, model.tip().height),
        outcomes: async (hashes) => hashes.map((hash) => model.outcome(hash)),
        selfCustody: { sightings: async () => [sighting] } as Partial<
          NonNullable<typeof lane.chain.selfCustody>
        > as NonNullable<typeof lane.chain.selfCustody>,
      },
      store,
      book: {
        ...paymentBook,
        mined: (tx, transactions) => {
          told.push('mined')
          return paymentBook.mined(tx, transactions)
        },
      },
      deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
      builds: {
        hasLive: async () => true,
        watched: async () => ({ senders: new Set(), commitments: new Set() }),
        hold: async () => void told.push('hold'),
        sighted: async () => void told.push('sighted'),
        undone: async () => undefined,
        final: async () => 0,
      },
      log: openLog('silent'),
      killPoint: () => undefined,
    },
    cursor,
  )
  expect(told).toEqual(['hold', 'mined', 'sighted'])
})
