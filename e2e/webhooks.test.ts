import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Florin } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import { spawnFlorin } from './actors/florin.ts'
import { openHook } from './actors/hook.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'
import { hurryWebhooks, killWhileWebhooksWait, statusesByPayment } from './webhook-kill.ts'

const SECONDS = 60
/** Where no sandbox is. */
const NOWHERE = join(tmpdir(), 'florin-is-not-here')
let world: World
beforeAll(async () => {
  world = await openWorld({ logLevel: 'debug' })
})
afterAll(() => world.stop())

const florin = () => {
  const { baseUrl, apiKeys } = world.service()
  return new Florin({ baseUrl, apiKey: apiKeys.enterprise })
}

const pay = () =>
  florin().payments.send({
    walletAddress: walletOf(world),
    recipientAddress: world.newAddress(),
    amount: '0.001',
    timeout: 30,
  })

test('our own doors are never called, and no log holds an address or a secret', async () => {
  const { baseUrl } = world.service()
  const url = `${baseUrl}/health/live?token=canary`
  const { webhookId, secret } = await florin().webhooks.create({ url })
  await florin().webhooks.test(webhookId)
  const attempt = await until(
    'it was refused',
    async () => {
      const { deliveries } = await florin().webhooks.deliveries(webhookId)
      return deliveries[0]?.log[0]
    },
    { seconds: SECONDS },
  )
  expect(attempt).toMatchObject({ status: null, error: 'address_not_allowed' })
  const logged = await until(
    'it is logged',
    () => {
      const lines = world.service().log.join('\n')
      return lines.includes('a webhook was not taken') && lines
    },
    { seconds: SECONDS },
  )
  expect(secret).toMatch(/^whsec_/)
  for (const hidden of [secret ?? '', 'whsec_', 'canary']) expect(logged).not.toContain(hidden)
  await florin().webhooks.delete(webhookId)
})

test('a payment is told in order to a receiver that verifies it, by either of two instances, and again on request', async () => {
  await world.start()
  const hook = await openHook()
  const { webhookId, secret } = await florin().webhooks.create({ url: hook.url })
  await hook.tell({ secrets: [secret ?? ''] })
  const test = await florin().webhooks.test(webhookId)
  const payments = await Promise.all(Array.from({ length: 5 }, pay))
  const ids = payments.map(({ paymentId }) => paymentId)
  await until(
    'the end of every payment is told',
    () => {
      const told = statusesByPayment(hook.events())
      return ids.every((id) => told.get(id)?.at(-1) === 'settled')
    },
    { seconds: SECONDS },
  )
  const statuses = statusesByPayment(hook.events())
  for (const id of ids) expect(statuses.get(id)).toEqual(['pending', 'confirmed', 'settled'])
  const tested = hook.events().find(({ id }) => id === test.eventId)
  expect(tested).toMatchObject({ sequence: 0, data: { test: true, sandbox: true } })
  expect(hook.events().every(({ data }) => data['sandbox'] === true)).toBe(true)

  const { deliveries } = await florin().webhooks.deliveries(webhookId, { limit: 100 })
  expect(deliveries.length).toBeGreaterThanOrEqual(16)
  const [newest] = deliveries
  const again = await florin().webhooks.redeliver(webhookId, newest?.deliveryId ?? '')
  expect(again).toMatchObject({ redeliveryOf: newest?.deliveryId, eventId: newest?.eventId })
  await until(
    'it came twice',
    () => hook.events().filter(({ id }) => id === newest?.eventId).length >= 2,
    { seconds: SECONDS },
  )
  expect(hook.unsigned()).toBe(0)
  await florin().webhooks.delete(webhookId)
  await hook.stop()
})

test('a receiver that was away is told when it is back', async () => {
  const away = await openHook()
  const { port, url } = away
  const { webhookId, secret } = await florin().webhooks.create({ url })
  await away.stop()
  const { paymentId } = await pay()
  await until(
    'the first attempt has failed',
    async () => (await florin().webhooks.get(webhookId)).failingSince,
    { seconds: SECONDS },
  )
  const hook = await openHook(port)
  await hook.tell({ secrets: [secret ?? ''] })
  await until(
    'it is told everything',
    async () => {
      await hurryWebhooks(world)
      return statusesByPayment(hook.events()).get(paymentId)?.length === 3
    },
    { seconds: SECONDS },
  )
  expect(statusesByPayment(hook.events()).get(paymentId)).toEqual([
    'pending',
    'confirmed',
    'settled',
  ])
  expect(await florin().webhooks.get(webhookId)).toMatchObject({
    status: 'active',
    failingSince: null,
  })
  await florin().webhooks.delete(webhookId)
  await hook.stop()
})

test('webhooks that wait while the service is killed arrive, each payment in order', async () => {
  await killWhileWebhooksWait(world, 8)
}, 240_000)

test('florin listen --forward sends events to a receiver that verifies them', async () => {
  const hook = await openHook()
  const { baseUrl, apiKeys } = world.service()
  const { child, ended } = spawnFlorin(['listen', '--forward', hook.url], NOWHERE, {
    FLORIN_BASE_URL: baseUrl,
    FLORIN_API_KEY: apiKeys.enterprise,
  })
  let notes = ''
  child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()))
  const secret = await until(
    'it listens, and says what it signs with',
    () => (notes.includes('Listening') ? /whsec_\S+/.exec(notes)?.[0] : undefined),
    { seconds: SECONDS },
  )
  await hook.tell({ secrets: [secret] })
  const { paymentId } = await pay()
  await until(
    'the receiver has it',
    () => statusesByPayment(hook.events()).get(paymentId)?.includes('confirmed'),
    { seconds: SECONDS },
  )
  expect(hook.unsigned()).toBe(0)
  child.kill('SIGINT')
  await ended
  await hook.stop()
})
