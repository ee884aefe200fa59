import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KILL_POINTS } from '@florin/server/kernel/kill-point.ts'
import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import type { Family } from '@florin/wire/network.ts'
import { codeOf } from './client.ts'
import type { World } from './world.ts'
import { openWorld, walletOf } from './world.ts'

/** 0.01 in base units. */
const AMOUNT = { evm: 10_000_000_000_000_000n, solana: 10_000_000n } as const
/** Reached only when a fee is raised, a lifetime is over, money comes in, others sign or a lane is released: killed there by the tests of these. */
const OTHER_POINTS: readonly KillPoint[] = KILL_POINTS.filter((point) =>
  /^(bump|rebuild|deposit|approval|claim|build|submit|fetch|release)\./.test(point),
)
/** Killed before anything was committed: only the repeated request makes the payment. */
const NOTHING_STORED: readonly KillPoint[] = ['send.before-transaction', 'send.before-commit']

/** The tests of one family, in a file of its own so that the families run side by side. */
export function describeKillPoints(family: Family): void {
  describe(`SIGKILL at every named point (${family})`, () => {
    let world: World
    beforeAll(async () => {
      world = await openWorld({ solana: family === 'solana' })
      await world.service().stop()
    })
    afterAll(() => world.stop())

    const order = (recipientAddress: string) => ({
      walletAddress: walletOf(world, 0, family),
      recipientAddress,
      amount: '0.01',
      timeout: 20,
    })

    test.each(KILL_POINTS.filter((point) => !OTHER_POINTS.includes(point)))(
      '%s: nothing lost, nothing twice',
      async (point) => {
        const recipient = world.newAddress(family)
        const key = { 'idempotency-key': `killed-at-${point}` }
        const doomed = await world.start({ killPoint: `${point}:1` })
        const first = await world
          .client()
          .post('/payment/send', order(recipient), key)
          .catch(() => null)
        expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })

        const survivor = await world.start()
        if (!NOTHING_STORED.includes(point)) {
          // The payment goes on by itself, before anybody asks again.
          await world.expectSound()
          expect(await world.balanceOf(recipient)).toBe(AMOUNT[family])
        }
        const again = await world.client().post('/payment/send', order(recipient), key)
        expect(codeOf(again)).toBeUndefined()
        expect(again.headers.get('idempotent-replayed') === 'true').toBe(
          !NOTHING_STORED.includes(point),
        )
        if (first !== null) expect(again.body['paymentId']).toBe(first.body['paymentId'])
        await world.expectSound()
        expect(await world.balanceOf(recipient)).toBe(AMOUNT[family])
        await survivor.stop()
      },
    )
  })
}
