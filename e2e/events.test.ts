import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Florin } from '@florin/sdk/florin.ts'
import type { AccountEvent } from '@florin/sdk/florin.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const SOON = { seconds: 40 }
const LIFE = ['pending', 'confirmed', 'settled']

describe('events', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  }, 240_000)
  afterAll(() => world.stop(), 240_000)

  const send = async (recipientAddress = world.newAddress()) => {
    const order = { walletAddress: walletOf(world), recipientAddress, amount: 0.01 }
    const reply = await world.client().post('/payment/send', { ...order, waitFor: 'submitted' })
    return String(reply.body['paymentId'])
  }
  const florin = () => {
    const { baseUrl, apiKeys } = world.service()
    return new Florin({ baseUrl, apiKey: apiKeys.enterprise })
  }
  /** The statuses of one payment among events, in their order. */
  const statusesOf = (events: readonly AccountEvent[], paymentId: string) =>
    events.flatMap(({ type, data }) =>
      type === 'payment' && data['paymentId'] === paymentId ? [data['status']] : [],
    )

  test('tell the life of a payment on the socket, in the stream and on the page, as /asyncapi.json says', async () => {
    const { baseUrl, apiKeys } = world.service()
    const authorization = `Bearer ${apiKeys.enterprise}`
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/data`)
    const messages: AccountEvent[] = []
    socket.on('message', (data) => {
      messages.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : ''))
    })
    socket.on('open', () => {
      socket.send(JSON.stringify({ method: 'authenticate', apiKey: apiKeys.enterprise }))
      socket.send(JSON.stringify({ method: 'subscribe', keys: [walletOf(world)] }))
    })
    // Money that came to the wallet before may be told of right after the answer.
    await until('it is subscribed', () => messages.length >= 2, SOON)
    const aborting = new AbortController()
    const stream = await fetch(`${baseUrl}/api/events/stream?keys=payments`, {
      headers: { authorization },
      signal: aborting.signal,
    })
    let streamed = ''
    const reading = (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of stream.body ?? []) streamed += decoder.decode(chunk)
    })().catch(() => undefined)
    await until('the stream is open', () => streamed.includes('retry'), SOON)
    const paymentId = await send()
    const told = () => messages.filter(({ sequence }) => typeof sequence === 'number')
    await until('it is settled', () => statusesOf(told(), paymentId).includes('settled'), SOON)
    expect(statusesOf(told(), paymentId)).toEqual(LIFE)
    const own = told().find(({ data }) => data['paymentId'] === paymentId)
    expect(own?.data).toMatchObject({ sandbox: true, type: 'sent' })

    const heard = told()
    const page = await florin().events.page()
    expect(heard.every((event) => page.events.some(({ id }) => id === event.id))).toBe(true)
    const blocks = () =>
      streamed
        .split('\n')
        .flatMap((line): AccountEvent[] =>
          line.startsWith('data: ') ? [JSON.parse(line.slice('data: '.length))] : [],
        )
    await until(
      'the stream has it too',
      () => statusesOf(blocks(), paymentId).includes('settled'),
      SOON,
    )
    expect(statusesOf(blocks(), paymentId)).toEqual(LIFE)

    const document: { components: { schemas: Record<string, object> } } = JSON.parse(
      await (await fetch(`${baseUrl}/asyncapi.json`)).text(),
    )
    const ajv = new Ajv2020({ strict: false })
    for (const message of messages) {
      const fits = ajv.compile(document.components.schemas[`service.${message.type}`] ?? false)
      expect(fits(message), JSON.stringify([message, fits.errors])).toBe(true)
    }
    aborting.abort()
    await reading
    socket.terminate()
  })

  test('are heard in full by a client of another instance while the one that numbers is killed', async () => {
    const first = world.service()
    const { nextAfter } = await florin().events.page({ limit: 500 })
    await world.start()
    const heard: AccountEvent[] = []
    const stop = new AbortController()
    const listening = (async () => {
      const options = { after: nextAfter ?? undefined, signal: stop.signal }
      for await (const event of florin().events.listen(options)) heard.push(event)
    })()
    const before = await Promise.all([send(), send(), send()])
    await first.kill()
    const paymentIds = [...before, ...(await Promise.all([send(), send()]))]
    await until(
      'every payment is settled',
      () => paymentIds.every((id) => statusesOf(heard, id).includes('settled')),
      { seconds: 90 },
    )
    for (const paymentId of paymentIds) expect(statusesOf(heard, paymentId)).toEqual(LIFE)
    const start = heard[0]?.sequence ?? 0
    expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => start + index))
    stop.abort()
    await listening
  }, 120_000)
})
