import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '@florin/server/chains/chain.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { anotherAccount } from './actors/receiver.ts'
import { aPurchase, submitElsewhere } from './actors/seller.ts'
import type { Purchase, SettleBody } from './actors/seller.ts'
import { evmCustodian, solanaCustodian, transactionOf } from './actors/self-custodian.ts'
import type { EvmCustodian, SolanaCustodian } from './actors/self-custodian.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const LANDS = { seconds: 40 }
const PRICE = 10_000n

describe('settling with the seller’s own wallet', () => {
  let world: World
  let other: Client
  let evm: EvmCustodian
  let solana: SolanaCustodian
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    other = await anotherAccount(world)
    ;[evm, solana] = await Promise.all([
      evmCustodian(world.sandbox),
      solanaCustodian(world.sandbox),
    ])
  }, 60_000)
  afterEach(() => world.sandbox.clearFaults())
  afterAll(() => world.stop(), 90_000)

  const sellerOf = (family: Family) => (family === 'evm' ? evm : solana)
  const buyFrom = (family: Family): Promise<SettleBody> =>
    family === 'evm'
      ? aPurchase(world, { to: evm.address as Address })
      : aSolanaPurchase(world, solana.address)
  const headerOf = ({ body }: SettleBody) =>
    Buffer.from(JSON.stringify(body.paymentPayload)).toString('base64')
  const offerOf = (bought: SettleBody, fields: Record<string, unknown> = {}) => ({
    walletAddress: bought.payTo,
    paymentProof: headerOf(bought),
    expectedAmount: '0.01',
    ...fields,
  })
  const receive = (
    bought: SettleBody,
    fields: Record<string, unknown> = {},
    client = world.client(),
    headers: Record<string, string> = {},
  ) => client.post('/transaction/receive', offerOf(bought, fields), headers)
  const record = async (paymentId: unknown, client = world.client()) =>
    (await client.get(`/payment/status/${String(paymentId)}`)).body
  const reaches = (reply: Reply, status: string, client = world.client()) =>
    until(
      `the payment is ${status}`,
      async () => {
        const found = await record(reply.body['paymentId'], client)
        return found['status'] === status && found
      },
      LANDS,
    )
  const lapse = (reply: Reply) =>
    world.database.store.query(
      'test_lapse',
      `update settlement_claims set built_until = now() - interval '1 second' where payment_id = $1`,
      [reply.body['paymentId']],
    )

  test.each(['evm', 'solana'] as const)(
    'what was built is signed and sent by the seller alone, seen, settled, and told as a success once (%s)',
    async (family) => {
      const seller = sellerOf(family)
      const bought = await buyFrom(family)
      const before = await world.balanceOf(seller.address, 'USDC')
      const built = await receive(bought)
      expect(built.body).toMatchObject({
        success: true,
        status: 'pending',
        paymentProof: null,
        format: family === 'evm' ? 'eip1559-rlp' : 'solana-v0',
        summary: {
          feePayer: seller.address,
          transfers: [{ to: seller.address, amountBaseUnits: `${PRICE}` }],
          commitments: [],
        },
      })
      const hash = await seller.broadcast(await seller.sign(transactionOf(built)))
      const settled = await reaches(built, 'settled')
      expect(settled).toMatchObject({
        signature: hash,
        type: 'received',
        recipient: seller.address,
        amountBaseUnits: `${PRICE}`,
        attempts: [],
      })
      expect(await world.balanceOf(seller.address, 'USDC')).toBe(before + PRICE)

      const late = await receive(bought)
      expect(codeOf(late)).toBe('DUPLICATE_SETTLEMENT')
      expect(detailsOf(late)).toMatchObject({
        paymentId: built.body['paymentId'],
        status: 'settled',
        signature: hash,
      })
      const path = '/payment/settle'
      const once = await world.client().post(path, { paymentId: built.body['paymentId'] })
      expect(once.body).toMatchObject({ success: true, signature: hash })
      const twice = await world.client().post(path, { paymentId: built.body['paymentId'] })
      expect(codeOf(twice)).toBe('DUPLICATE_SETTLEMENT')
      await world.expectSound()
    },
    90_000,
  )
})
