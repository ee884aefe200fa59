import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '@florin/server/chains/chain.ts'
import { until } from '@florin/server/kernel/until.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { aPurchase, offerOf, purchaseFrom, submitElsewhere } from './actors/seller.ts'
import { evmCustodian } from './actors/self-custodian.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'
import { write } from '@florin/server/store/test-write.ts'

const LANDS = { seconds: 60 }

let world: World
beforeAll(async () => {
  world = await openWorld()
}, 240_000)
afterAll(() => world.stop(), 240_000)

test('what was signed with the same nonce for less pays no earlier claim for more', async () => {
  const seller = await evmCustodian(world.sandbox)
  const to = seller.address as Address
  const nonce = `0x${randomBytes(32).toString('hex')}` as const
  const dear = await aPurchase(world, { to, nonce })
  const cheap = await purchaseFrom(world, dear.payer, { to, nonce, amount: 1n })
  const client = world.client()
  const receive = (bought: typeof dear, expectedAmount: string) =>
    client.post('/transaction/receive', { ...offerOf(bought), expectedAmount })

  const built = await receive(dear, '0.01')
  const paymentId = String(built.body['paymentId'])
  await write(
    world.database.store,
    'test_lapse',
    `update settlement_claims set built_until = now() - interval '1 second' where payment_id = $1`,
    [paymentId],
  )
  const before = await world.balanceOf(to, 'USDC')
  await submitElsewhere(world, cheap)
  await until('it is in', async () => (await world.balanceOf(to, 'USDC')) === before + 1n, LANDS)
  const refused = await receive(cheap, '0.000001')
  expect(codeOf(refused)).toBe('DUPLICATE_SETTLEMENT')
  expect(detailsOf(refused)['paymentId']).toBeUndefined()
  const ended = await until(
    'the dear payment is over',
    async () => {
      const { body } = await client.get(`/payment/status/${paymentId}`)
      return body['status'] !== 'pending' && body
    },
    LANDS,
  )
  expect(ended).toMatchObject({ status: 'expired', amountBaseUnits: '10000' })
})
