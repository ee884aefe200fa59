import { expect } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { openClient } from './actors/client.ts'
import { aPurchase, PRICE } from './actors/seller.ts'
import type { SettleBody } from './actors/seller.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'

/** Replicas of the service over one database. */
const INSTANCES = 4
const SOON = { seconds: 90 }
const ALLOWED = new Set(['success', '200 "duplicate_settlement"', '200 "settlement_pending"'])

/**
 * One proof, asked for by so many at the same moment over four instances while the chain makes no blocks: one success, one transaction, one
 * payment of money, for each of `proofs`.
 */
export async function settleOneProof(
  world: World,
  family: 'evm' | 'solana',
  { proofs, callers }: { readonly proofs: number; readonly callers: number },
): Promise<void> {
  const clients = [world.service()]
  while (clients.length < INSTANCES) clients.push(await world.start())
  const ask = clients.map(({ baseUrl, apiKeys }) => openClient(baseUrl, apiKeys.enterprise))
  for (let proof = 0; proof < proofs; proof += 1) {
    const purchase: SettleBody =
      family === 'evm' ? await aPurchase(world) : await aSolanaPurchase(world)
    const before = await world.balanceOf(purchase.payTo, 'USDC')
    await world.sandbox.fault({ chain: family, kind: 'stop-blocks' })
    const asked = Array.from({ length: callers }, async (_, caller) => {
      const client = ask[caller % ask.length]
      if (client === undefined) throw new Error('no instance')
      return await client.post('/x402/settle', purchase.body)
    })
    await until('it is signed', async () => (await placesOf(world, purchase)) > 0, SOON)
    await world.sandbox.fault({ chain: family, kind: 'resume-blocks' })
    const said = (await Promise.all(asked)).map(reasonOf)
    expect(said.filter((reason) => reason === 'success')).toHaveLength(1)
    expect(said.filter((reason) => !ALLOWED.has(reason))).toEqual([])
    expect(await placesOf(world, purchase)).toBe(1)
    expect(await world.balanceOf(purchase.payTo, 'USDC')).toBe(before + PRICE)
  }
}

/** An answer that is none of the protocol's says itself what it is. */
const reasonOf = ({ status, body }: Reply) =>
  body['success'] === true ? 'success' : `${status} ${JSON.stringify(body['errorReason'] ?? body)}`

async function placesOf(world: World, { payTo }: SettleBody): Promise<number> {
  const rows = await world.database.store.query<{ places: string }>(
    'test_places',
    `select count(*) as places from payments join payment_transactions on payment_id = id where recipient = $1`,
    [payTo],
  )
  return Number(rows[0]?.places)
}
