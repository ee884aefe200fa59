import { sandboxNetwork } from '@florin/cli/up/sandbox-network.ts'
import { connectChain } from '@florin/server/chains/connect.ts'
import { diagnose } from '@florin/server/doctor/run.ts'
import { systemClock as clock } from '@florin/server/kernel/clock.ts'
import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { until } from '@florin/server/kernel/until.ts'
import { write } from '@florin/server/store/test-write.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signInOperator } from './actors/operator.ts'
import type { Operator } from './actors/operator.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const LONG = { seconds: 25 }

describe('nonces that nobody has used', () => {
  let world: World
  let operator: Operator
  let recipient: string
  beforeEach(async () => {
    // Whether it is sound each test says itself.
    world = await openWorld({ unsound: true })
    operator = await signInOperator(world)
    recipient = world.newAddress()
  })
  afterEach(() => world.stop())

  const pay = async (waitFor: 'settled' | 'submitted') => {
    const { status } = await world.client().post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: recipient,
      ...{ amount: '1', timeout: 20, waitFor },
    })
    expect(status).toBe(200)
  }
  const lane = () => ({ network: world.sandbox.network, address: walletOf(world) })
  /** As a foreign use leaves it that a reorganisation took back: nonces 1 and 2 are nobody's, and a payment waits behind them. */
  const leaveAGap = async () => {
    await pay('settled')
    await write(
      world.database.store,
      'test_gap',
      'update lanes set next_nonce = next_nonce + 2 where address = $1',
      [walletOf(world)],
    )
    await pay('submitted')
    await operator.ask('/operator/lanes/freeze', { ...lane(), reason: 'used elsewhere' })
  }
  const findings = async () => {
    const { rpcUrl, usdc, network, instance } = world.sandbox
    const config = sandboxNetwork({ instance, evm: { network, rpcUrl, usdc } })
    const chains = [connectChain({ config, log: openLog('silent'), clock })]
    const found = await diagnose({ store: world.database.store, chains, clock })
    expect(found.unasked).toEqual([])
    return found.findings.map(({ invariant }) => invariant)
  }
  const places = () =>
    world.database.store.query<{ nonce: string; state: string }>(
      'test_places',
      'select nonce, state from chain_transactions where lane_address = $1 order by nonce',
      [walletOf(world)],
    )
  /** All of it is final, and the chain has to the last unit what the books say. */
  const isOver = async () => {
    await until(
      'all places are final',
      async () => (await places()).filter(({ state }) => state === 'final').length === 4,
      LONG,
    )
    await world.expectSound()
    expect(await world.balanceOf(recipient)).toBe(2n * 10n ** 18n)
    const books = await world.database.store.query<{ balance: string }>(
      'test_books',
      `select balance from ledger_accounts join wallets w on w.id = wallet_id
       where w.address = $1 and asset = 'native' and kind = 'available'`,
      [walletOf(world)],
    )
    expect(books).toEqual([{ balance: `${await world.balanceOf(walletOf(world))}` }])
    const { body } = await world.client().get('/audit')
    const said = (body['entries'] as { action: string }[]).filter(({ action }) =>
      action.startsWith('lane.'),
    )
    const { network, address: object } = lane()
    const filled = (nonce: string) => ({
      ...{ actor: 'system', action: 'lane.filled', object, details: { network, nonce } },
    })
    const released = { actor: 'member', action: 'lane.released', details: { filled: ['1', '2'] } }
    expect(said).toMatchObject([filled('2'), filled('1'), released])
    expect(await operator.ask('/operator/lanes/release', lane())).toMatchObject({ filled: [] })
  }

  test('are filled by a release: what waits behind them gets in, the fees are booked, and the doctor holds on the way', async () => {
    await leaveAGap()
    expect(await findings()).toEqual(['what a lane has passed over is used up on chain'])
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const { filled } = await operator.ask('/operator/lanes/release', lane())
    expect(filled).toEqual(['1', '2'])
    expect(await findings()).toEqual([])
    await world.sandbox.mine(1)
    await until(
      'they are mined',
      async () => (await places()).every(({ state }) => state !== 'open'),
      LONG,
    )
    expect((await places()).map(({ state }) => state)).toEqual([
      'final',
      ...Array.from({ length: 3 }, () => 'mined'),
    ])
    expect(await findings()).toEqual([])
    await world.sandbox.fault({ kind: 'resume-blocks' })
    await isOver()
  })

  test.each<KillPoint>(['release.before-commit', 'release.after-commit', 'release.after-node'])(
    '%s: nothing is filled twice, no fee is lost',
    async (point) => {
      await leaveAGap()
      await world.service().stop()
      const doomed = await world.start({ killPoint: `${point}:1` })
      await expect(operator.ask('/operator/lanes/release', lane())).rejects.toThrow()
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
      await world.start()
      if (point === 'release.before-commit') {
        expect(await places()).toHaveLength(2)
        const { filled } = await operator.ask('/operator/lanes/release', lane())
        expect(filled).toEqual(['1', '2'])
      }
      await isOver()
    },
  )

  test.each<KillPoint>(['settle.before-commit', 'settle.after-commit'])(
    '%s: what is final is booked once',
    async (point) => {
      await leaveAGap()
      await world.service().stop()
      const doomed = await world.start({ killPoint: `${point}:1` })
      const { filled } = await operator.ask('/operator/lanes/release', lane())
      expect(filled).toEqual(['1', '2'])
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })
      await world.start()
      await isOver()
    },
  )
})
