import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Client, Reply } from './actors/client.ts'
import { codeOf } from './actors/client.ts'
import { anotherAccount } from './actors/receiver.ts'
import { build, evmCustodian, solanaCustodian, transactionOf } from './actors/self-custodian.ts'
import type { EvmCustodian, SelfCustodian } from './actors/self-custodian.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const LANDS = { seconds: 30 }

describe('self-custody mode', () => {
  let world: World
  let other: Client
  let evm: EvmCustodian
  let solana: SelfCustodian
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

  const holderOf = (family: string) => (family === 'evm' ? evm : solana)
  const record = async (reply: Reply, client = world.client()) =>
    (await client.get(`/payment/status/${String(reply.body['paymentId'])}`)).body
  const reaches = (reply: Reply, status: string, client = world.client()) =>
    until(
      `the payment is ${status}`,
      async () => {
        const found = await record(reply, client)
        return found['status'] === status && found
      },
      LANDS,
    )

  test.each([
    ['evm', 'native', 10_000_000_000_000_000n],
    ['evm', 'USDC', 10_000n],
    ['solana', 'native', 10_000_000n],
    ['solana', 'USDC', 10_000n],
  ] as const)(
    'what was built on %s in %s, signed and sent outside, is confirmed and settled, and its proof is a success once',
    async (family, asset, units) => {
      const holder = holderOf(family)
      const recipient = world.newAddress(family)
      const built = await build(world.client(), holder, recipient, { asset })
      expect(built.body).toMatchObject({ success: true, status: 'pending', sandbox: true })
      const shown = {
        walletAddress: recipient,
        paymentProof: built.body['paymentProof'],
        expectedAmount: '0.01',
        timeout: 0,
      }
      const early = await other.post('/payment/receive', shown)
      expect(codeOf(early)).toBe('SETTLEMENT_PENDING')

      const hash = await holder.broadcast(await holder.sign(transactionOf(built)))
      const settled = await reaches(built, 'settled')
      expect(settled).toMatchObject({
        signature: hash,
        type: 'sent',
        selfCustody: true,
        sender: holder.address,
        recipient,
        amountBaseUnits: `${units}`,
        attempts: [],
      })
      expect(settled['remark']).toBeUndefined()
      expect(await world.balanceOf(recipient, asset)).toBe(units)

      const received = await other.post('/payment/receive', { ...shown, timeout: 20 })
      expect(received.body).toMatchObject({ success: true, signature: hash })
      const again = await other.post('/payment/receive', shown)
      expect(codeOf(again)).toBe('DUPLICATE_SETTLEMENT')
    },
    60_000,
  )
})
