import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SAYINGS } from '@florin/server/chains/evm/test-sayings.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

/** Units of 0.001 ETH. */
const AMOUNT = 1_000_000_000_000_000n
const SEND = ['eth_sendRawTransaction']

/** What is known of a payment while one answer about it was wrong. */
interface Case {
  readonly saying: string
  readonly accepted: boolean
  readonly recipient: string
  readonly paymentId: string
  readonly signature: string
}

describe('whatever a node says about bytes it has or has not taken', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.stop())

  const statuses = async (cases: readonly Case[]) => {
    const rows = await world.database.store.query<{ id: string; status: string; hash: string }>(
      'test_statuses',
      'select id, status, transaction_hash as hash from payments where id = any($1)',
      [cases.map(({ paymentId }) => paymentId)],
    )
    return new Map(rows.map((row) => [row.id, row]))
  }

  test('the payment stays pending while it is not mined, and lands exactly once when it is', async () => {
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const cases: Case[] = []
    for (const [speaker, code, message] of SAYINGS) {
      for (const accepted of [true, false]) {
        const recipient = world.newAddress()
        const answer = { code, message }
        await world.sandbox.fault({
          kind: 'fail',
          forward: accepted,
          answer,
          methods: SEND,
          count: 1,
        })
        const reply = await world.client().post('/payment/send', {
          walletAddress: walletOf(world, cases.length % 2),
          recipientAddress: recipient,
          amount: '0.001',
          waitFor: 'submitted',
          timeout: 5,
        })
        const saying = `${speaker}: ${message}`
        expect([saying, reply.status, reply.body['status']]).toEqual([saying, 200, 'pending'])
        cases.push({
          saying,
          accepted,
          recipient,
          paymentId: String(reply.body['paymentId']),
          signature: String(reply.body['signature']),
        })
      }
    }
    await world.sandbox.clearFaults()
    const landed = await until(
      'all of them are settled',
      async () => {
        const found = await statuses(cases)
        return [...found.values()].every(({ status }) => status === 'settled') && found
      },
      { seconds: 60 },
    )
    for (const { saying, accepted, recipient, paymentId, signature } of cases) {
      expect([saying, accepted, landed.get(paymentId)?.hash]).toEqual([saying, accepted, signature])
      expect([saying, accepted, await world.balanceOf(recipient)]).toEqual([
        saying,
        accepted,
        AMOUNT,
      ])
    }
  })
})
