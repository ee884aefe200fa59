import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from './actors/client.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

describe('wallets on a real chain', () => {
  let world: World
  let client: Client
  beforeAll(async () => {
    world = await openWorld()
    client = world.client()
  })
  afterAll(() => world.stop())

  test('a new wallet is empty, shows what arrives, pays, and cannot be deleted with money in it', async () => {
    const { address } = (await client.post('/wallets', { family: 'evm', label: 'new' })).body
    const path = `/wallets/${String(address)}`
    const amounts = async () => {
      const { balances } = (await client.get(path)).body as { balances: { amount: number }[] }
      return balances.map(({ amount }) => amount)
    }
    expect(await amounts()).toEqual([0, 0])
    await world.sandbox.fund(String(address), 'native', '1')
    await world.sandbox.fund(String(address), 'USDC', '7.5')
    expect(await amounts()).toEqual([1, 7.5])
    const paid = await client.post('/payment/send', {
      walletAddress: address,
      recipientAddress: world.newAddress(),
      amount: 2.5,
      asset: 'USDC',
      waitFor: 'settled',
      timeout: 60,
    })
    expect(paid.body).toMatchObject({ status: 'settled' })
    expect((await amounts())[1]).toBe(5)
    const refused = await client.delete(path)
    expect([refused.status, codeOf(refused)]).toEqual([400, 'INVALID_PARAMETERS'])
    expect(detailsOf(refused)['left']).toHaveLength(2)
  })

  test('payments at once cannot pass a budget together, and the refusal says what is left', async () => {
    const walletAddress = walletOf(world)
    const recipientAddress = world.newAddress()
    const put = await client.put(`/wallets/${walletAddress}/policy`, {
      limits: [{ asset: 'USDC', perPayment: '1', perDay: '3.5' }],
      recipients: [recipientAddress],
    })
    expect(put.status).toBe(200)
    const send = (fields: object = {}) =>
      client.post('/payment/send', {
        walletAddress,
        recipientAddress,
        amount: 1,
        asset: 'USDC',
        ...fields,
      })
    const replies = await Promise.all(Array.from({ length: 12 }, () => send()))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = replies.filter((reply) => codeOf(reply) === 'POLICY_REFUSED')
    expect(refused).toHaveLength(9)
    expect(refused.map(detailsOf)).toEqual(
      refused.map(() => ({ rule: 'perDay', limit: '3.5', left: '0.5' })),
    )
    expect(await world.balanceOf(recipientAddress, 'USDC')).toBe(3_000_000n)

    const rules = await Promise.all([
      send({ amount: 1.5 }),
      send({ recipientAddress: world.newAddress(), amount: 0.1 }),
      send({ asset: 'native', amount: 0.1 }),
    ])
    expect(rules.map((reply) => detailsOf(reply)['rule'])).toEqual([
      'perPayment',
      'recipients',
      'limits',
    ])
    expect((await send({ amount: 0.5 })).status).toBe(200)
  })
})
