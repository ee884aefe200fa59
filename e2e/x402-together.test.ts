import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import { aPurchase, PRICE, purchaseFrom, settle } from './actors/seller.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const PAYMENTS = 24
const PAYERS = 4

describe('settlements at the same moment', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  // Holds every invariant once more: one place for each payment, no nonce twice, the books whole.
  afterAll(() => world.stop())

  test('each moves its own money once, whoever comes twice or may not have it', async () => {
    const first = await Promise.all(Array.from({ length: PAYERS }, () => aPurchase(world)))
    const purchases = await Promise.all(
      Array.from({ length: PAYMENTS }, (_, index) => {
        const payer = first[index % PAYERS]?.payer
        if (payer === undefined) throw new Error('nobody pays')
        return purchaseFrom(world, payer)
      }),
    )
    // Money that is not there, in the middle of the others.
    const poor = await purchaseFrom(world, first[0]?.payer ?? testPayer(), {
      amount: 10n ** 12n,
    })
    const twice = purchases.slice(0, 4)
    const [replies, repeated, refused] = await Promise.all([
      Promise.all(purchases.map((purchase) => settle(world, purchase))),
      Promise.all(twice.map((purchase) => settle(world, purchase))),
      settle(world, poor),
    ])
    const successes = [...replies, ...repeated].filter(({ body }) => body['success'] === true)
    expect(successes).toHaveLength(PAYMENTS)
    expect(refused.body).toMatchObject({ success: false, transaction: '' })
    expect(await Promise.all(purchases.map(({ payTo }) => world.balanceOf(payTo, 'USDC')))).toEqual(
      purchases.map(() => PRICE),
    )
    const hashes = successes.map(({ body }) => body['transaction'])
    expect(new Set(hashes).size).toBe(PAYMENTS)
    const [places] = await world.database.store.query<{ places: string; transactions: string }>(
      'test_places_together',
      `select count(*) as places, count(distinct c.created_at) as transactions
       from payments p join payment_transactions t on t.payment_id = p.id
       join chain_transactions c on c.id = t.chain_transaction_id where p.recipient = any($1)`,
      [purchases.map(({ payTo }) => payTo)],
    )
    expect(places?.places).toBe(String(PAYMENTS))
    // What this is about: many of them were claimed in one transaction.
    expect(Number(places?.transactions)).toBeLessThan(PAYMENTS)
  })
})
