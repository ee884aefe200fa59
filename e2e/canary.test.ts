import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CANARY_KEY_TEXT } from './actors/service.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

describe('secrets', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ logLevel: 'debug' })
  })
  afterAll(() => world.stop())

  test('appear in no answer, log line or database column, whatever is asked for', async () => {
    const client = world.client()
    const { apiKeys } = world.service()
    const order = {
      walletAddress: walletOf(world),
      recipientAddress: world.newAddress(),
      amount: '0.01',
    }
    const sent = await client.post('/payment/send', order, { 'idempotency-key': 'canary' })
    const proof = String(sent.body['paymentProof'])
    const decoded = JSON.parse(Buffer.from(proof, 'base64').toString()) as {
      payload: { secret: string }
    }
    await world.sandbox.fault({ kind: 'down', how: 'http-500' })
    const replies = [
      await client.post('/payment/send', order),
      await client.post('/payment/send', { ...order, walletAddress: world.newAddress() }),
      await client.get(`/wallets/${walletOf(world)}`),
      await client.raw('/payment/send', `{"apiKey":"${apiKeys.premium}"`),
      await client.get(`/payment/status/${apiKeys.premium}`),
      await client.get('/wallets'),
    ]
    await world.sandbox.clearFaults()

    const rpcPort = new URL(world.sandbox.rpcUrl).host
    const secrets = [CANARY_KEY_TEXT, ...Object.values(apiKeys), proof, decoded.payload.secret]
    const outside = JSON.stringify(replies.map(({ body, headers }) => [body, [...headers]]))
    const log = world.service().log.join('\n')
    expect(log).toContain('answered')
    for (const secret of [...secrets, rpcPort]) {
      expect(outside.includes(secret), 'an answer').toBe(false)
      expect(log.includes(secret), 'the log').toBe(false)
    }
    const dump = await dumpOf(world)
    expect(dump).toContain(String(sent.body['paymentId']))
    for (const secret of secrets) {
      expect(dump.includes(secret), 'the database').toBe(false)
      expect(dump.includes(Buffer.from(secret).toString('hex')), 'the database, as bytes').toBe(
        false,
      )
    }
  })
})

/** Every row of every table as text, bytes in hex. */
async function dumpOf({ database }: World): Promise<string> {
  const tables = await database.store.query<{ name: string }>(
    'test_tables',
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  const dumps: string[] = []
  for (const { name } of tables) {
    const rows = await database.store.query<{ row: string }>(
      `test_dump_${name}`,
      `select t::text as row from "${name}" t`,
    )
    dumps.push(...rows.map(({ row }) => row))
  }
  return dumps.join('\n')
}
