import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '@florin/server/chains/chain.ts'
import type { KillPoint } from '@florin/server/kernel/kill-point.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Reply } from './actors/client.ts'
import { codeOf } from './actors/client.ts'
import { aPurchase, offerOf } from './actors/seller.ts'
import { build, evmCustodian, solanaCustodian, transactionOf } from './actors/self-custodian.ts'
import type { SelfCustodian } from './actors/self-custodian.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const LANDS = { seconds: 40 }

/** Which call is cut off, on which chain, and where. */
const CASES: readonly (readonly [KillPoint, 'send' | 'receive', Family])[] = [
  ['build.before-commit', 'send', 'evm'],
  ['build.after-commit', 'receive', 'solana'],
  ['submit.before-commit', 'receive', 'evm'],
  ['submit.after-commit', 'send', 'solana'],
  ['submit.after-commit', 'receive', 'evm'],
  ['submit.after-node', 'send', 'evm'],
]

describe('SIGKILL in the path of transactions that others sign', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
    await world.service().stop()
  }, 240_000)
  afterAll(() => world.stop(), 240_000)

  const order = async (kind: 'send' | 'receive', holder: SelfCustodian) => {
    if (kind === 'send') {
      const recipient = world.newAddress(holder.family)
      return (key: string) =>
        build(world.client(), holder, recipient, {}, { 'idempotency-key': key })
    }
    const bought =
      holder.family === 'evm'
        ? await aPurchase(world, { to: holder.address as Address })
        : await aSolanaPurchase(world, holder.address)
    const offer = offerOf(bought)
    return (key: string) =>
      world.client().post('/transaction/receive', offer, { 'idempotency-key': key })
  }
  const submit = async (holder: SelfCustodian, built: Reply) =>
    world.client().post('/transaction/submit', {
      transaction: await holder.sign(transactionOf(built)),
      walletAddress: holder.address,
    })
  const settles = (built: Reply) =>
    until(
      'the payment is settled',
      async () => {
        const path = `/payment/status/${String(built.body['paymentId'])}`
        const { body } = await world.client().get(path)
        return body['status'] === 'settled' && body
      },
      LANDS,
    )

  test.each(CASES)(
    '%s of /%s on %s: nothing lost, nothing twice',
    async (point, kind, family) => {
      const doomed = await world.start({ killPoint: `${point}:1` })
      const holder =
        family === 'evm' ? await evmCustodian(world.sandbox) : await solanaCustodian(world.sandbox)
      const ask = await order(kind, holder)
      const isBuild = point.startsWith('build.')
      const key = `${point}-${kind}-${family}`
      const first = await ask(key).catch(() => null)
      if (first !== null && (isBuild || codeOf(first) !== undefined))
        throw new Error(JSON.stringify(first.body))
      if (first !== null) await submit(holder, first).catch(() => null)
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' })

      const survivor = await world.start()
      if (first !== null && point !== 'submit.before-commit') {
        // The stored bytes go out by themselves, before anybody asks again.
        await settles(first)
      }
      const again = await ask(key)
      expect(codeOf(again)).toBeUndefined()
      expect(again.headers.get('idempotent-replayed') === 'true').toBe(
        point !== 'build.before-commit',
      )
      if (first === null || point === 'submit.before-commit') {
        expect((await submit(holder, again)).body).toMatchObject({ accepted: true })
      }
      await settles(again)
      await world.expectSound()
      await survivor.stop()
    },
    240_000,
  )
})
