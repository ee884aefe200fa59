import { openLog } from '@florin/server/kernel/log.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from './actors/client.ts'
import { CANARY_KEY_TEXT, startService } from './actors/service.ts'
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
    // Of a path only its pattern, of a request no header and no body; nothing had to be left out of a line.
    expect(log).not.toMatch(/authorization|\?|"dropped"/i)
    expect(log.includes(order.recipientAddress)).toBe(false)
    // The log may say which node it is about; a caller has no use for it.
    expect(outside.includes(rpcPort), 'an answer').toBe(false)
    for (const secret of secrets) {
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

  test('of a node that is away, in its address, appear nowhere', async () => {
    const secrets = ['canary-user', 'canary-password', 'canary-path', 'canary-query']
    const url = new URL(world.sandbox.rpcUrl)
    const service = await startService({
      sandbox: world.sandbox,
      databaseUrl: world.database.url.reveal(),
      apiKeys: world.service().apiKeys,
      logLevel: 'debug',
      // Nobody listens there.
      rpcUrl: `http://canary-user:canary-password@${url.hostname}:47/canary-path?key=canary-query`,
    })
    try {
      const client = openClient(service.baseUrl, service.apiKeys.standard)
      const order = {
        walletAddress: walletOf(world),
        recipientAddress: world.newAddress(),
        amount: '0.01',
      }
      const replies = [
        await client.post('/payment/send', order),
        await client.get(`/wallets/${walletOf(world)}`),
        await client.get('/health/ready'),
      ]
      expect(replies.map(({ status }) => status)).toEqual([503, 200, 503])
      await until('a round has failed', () => /round failed/.test(service.log.join()), {
        seconds: 30,
      })
      const metrics = await (await fetch(service.metricsUrl)).text()
      expect(metrics).toContain('outcome="failure"')
      const outside = JSON.stringify(replies.map(({ body, headers }) => [body, [...headers]]))
      for (const secret of secrets) {
        for (const text of [outside, service.log.join('\n'), metrics]) {
          expect(text.includes(secret)).toBe(false)
        }
      }
    } finally {
      await service.stop()
    }
  })

  test('and values that the database refuses appear in no log line, though the failure does', async () => {
    const canary = 'canary-metadata-value'
    const recipientAddress = world.newAddress()
    const owner = openStore({ url: world.database.ownerUrl, log: openLog('silent'), role: null })
    const alter = (name: string, text: string) =>
      owner.query(name, `alter table payments ${text}`).then(() => undefined)
    await alter('test_add', `add constraint no_canary check (recipient <> '${recipientAddress}')`)
    try {
      const answer = await world.client().post('/payment/send', {
        walletAddress: walletOf(world),
        recipientAddress,
        amount: '0.01',
        metadata: { canary },
      })
      expect(answer.status).toBe(500)
      expect(JSON.stringify(answer.body)).not.toMatch(/no_canary|23514/)
      const log = world.service().log.join('\n')
      expect(log).toContain('PostgreSQL 23514, constraint no_canary, table payments')
      expect(log.includes(canary)).toBe(false)
      expect(log.includes(recipientAddress)).toBe(false)
    } finally {
      await alter('test_drop', `drop constraint no_canary`)
      await owner.close()
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
