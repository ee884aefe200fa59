import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import { until } from '@florin/server/kernel/until.ts'
import { codeOf } from './actors/client.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

/** Tokens sold each time, base units. */
const SOLD = 10_000_000n

/** Where the sale is cut off, and whether it was stored by then. */
const POINTS: readonly (readonly [KillPoint, 'stored' | 'not stored'])[] = [
  ['send.before-commit', 'not stored'],
  ['send.after-commit', 'stored'],
  ['broadcast.after-node', 'stored'],
  ['settle.before-commit', 'stored'],
]

describe('SIGKILL in the path of a sale that needs an allowance', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.service().stop()
  }, 120_000)
  afterAll(() => world.stop(), 120_000)

  test.each(POINTS)('%s (%s): sold once, and nothing lost', async (point, stored) => {
    const wallet = walletOf(world)
    const order = { publicKey: wallet, mint: world.sandbox.usdc, amount: 10, timeout: 20 }
    const key = { 'idempotency-key': `killed-at-${point}` }
    const before = await world.balanceOf(wallet, 'USDC')
    const doomed = await world.start({ killPoint: `${point}:1` })
    await world
      .client()
      .post('/trade/sell', order, key)
      .catch(() => null)
    expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })

    const survivor = await world.start()
    if (stored === 'stored') {
      // It goes on by itself, before anybody asks again.
      await world.expectSound()
      expect(await world.balanceOf(wallet, 'USDC')).toBe(before - SOLD)
    }
    const again = await world.client().post('/trade/sell', order, key)
    expect(codeOf(again)).toBeUndefined()
    expect(again.headers.get('idempotent-replayed') === 'true').toBe(stored === 'stored')
    const record = await until(
      'the sale is settled',
      async () => {
        const { body } = await world.client().get(`/trade/${String(again.body['tradeId'])}`)
        return body['status'] === 'settled' && body
      },
      { seconds: 60 },
    )
    expect(BigInt(String(record['receivedBaseUnits']))).toBeGreaterThanOrEqual(
      BigInt(String(record['minimumReceivedBaseUnits'])),
    )
    await world.expectSound()
    expect(await world.balanceOf(wallet, 'USDC')).toBe(before - SOLD)
    await survivor.stop()
  })
})
