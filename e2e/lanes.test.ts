import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Reply } from './actors/client.ts'
import { codeOf } from './actors/client.ts'
import { useKeyElsewhere } from './actors/thief.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const LONG = { seconds: 25 }

describe('a lane that is not ours alone', () => {
  let world: World
  beforeEach(async () => {
    world = await openWorld({ unsound: true })
  })
  afterEach(() => world.stop())

  const send = (fields: object = {}): Promise<Reply> =>
    world.client().post('/payment/send', {
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: '0.01',
      ...fields,
    })
  const record = async (reply: Reply): Promise<Record<string, unknown>> =>
    (await world.client().get(`/payment/status/${String(reply.body['paymentId'])}`)).body
  const settle = async (reply: Reply): Promise<void> => {
    await until('settled', async () => (await record(reply))['status'] === 'settled', LONG)
  }

  test('a stranger takes the nonce of a payment under way: failed only at finality, lane frozen, the money free again', async () => {
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const reply = await send({ waitFor: 'submitted' })
    await useKeyElsewhere(world, {
      address: walletOf(world),
      nonce: 0n,
      priorityFee: '1000000000000000',
    })
    await world.sandbox.mine(1)
    expect((await record(reply))['status']).toBe('pending')
    await world.sandbox.fault({ kind: 'resume-blocks' })
    await until(
      'the payment failed',
      async () => (await record(reply))['status'] === 'failed',
      LONG,
    )
    expect(await record(reply)).toMatchObject({
      failure: { reason: 'nonce_used_by_another_transaction' },
    })
    const held = await world.database.store.query<{ held: string }>(
      'test_held',
      `select sum(balance) as held from ledger_accounts where kind = 'held'`,
    )
    expect(held[0]?.held).toBe('0')
    const next = await send()
    expect([next.status, codeOf(next)]).toEqual([503, 'NETWORK_ERROR'])
  })

  test('a key that was used elsewhere since the last payment stops the lane before anything is signed', async () => {
    await settle(await send())
    await useKeyElsewhere(world, { address: walletOf(world), nonce: 1n })
    await until(
      'it was mined',
      async () => {
        const rows = await world.database.store.query<{ height: string }>(
          'test_h',
          'select height from followers',
        )
        return BigInt(rows[0]?.height ?? 0) > 0n && (await nonceOf()) === 2n
      },
      LONG,
    )
    const next = await send()
    expect([next.status, codeOf(next)]).toEqual([503, 'NETWORK_ERROR'])
    const places = await world.database.store.query<{ count: string }>(
      'test_places',
      'select count(*) as count from chain_transactions',
    )
    expect(places[0]?.count).toBe('1')
  })

  test('a reorg of what was called final keeps the status, says so, and stops the network', async () => {
    const reply = await send({ waitFor: 'settled' })
    expect(reply.body['status']).toBe('settled')
    await world.sandbox.fault({ kind: 'stop-blocks' })
    const { blockHeight } = await record(reply)
    const depth = Number(await heightNow()) - Number(blockHeight) + 1
    await world.sandbox.fault({ kind: 'reorg', depth })
    await until('it was seen', async () => (await record(reply))['finalityViolated'] === true, LONG)
    expect(await record(reply)).toMatchObject({ status: 'settled', finalityViolated: true })
    const next = await send()
    expect([next.status, codeOf(next)]).toEqual([503, 'NETWORK_ERROR'])
  })

  const rpc = async (method: string, params: unknown[]): Promise<bigint> => {
    const answer = await fetch(world.sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return BigInt(((await answer.json()) as { result: string }).result)
  }
  const nonceOf = () => rpc('eth_getTransactionCount', [walletOf(world), 'latest'])
  const heightNow = () => rpc('eth_blockNumber', [])
})
