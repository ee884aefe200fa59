import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Metered } from './admission.ts'
import type { HeldAnswer } from './held.ts'
import { serveMetered } from './serve-metered.ts'
import { openTestServer } from './test-server.ts'

const PAID = {
  ...{ paymentId: 'pay_1', transaction: '0xabc', network: 'eip155:84532', payer: null },
  ...{ amount: '1', resource: 'http://shop.example/report' },
}

/** A server whose answers are paid for, and all that becomes of a visit. */
async function openServer(
  handler: (response: ServerResponse) => void,
  change: (answer: HeldAnswer) => HeldAnswer = (answer) => answer,
) {
  const told: string[] = []
  const ended = Promise.withResolvers<string>()
  const abandoned = Promise.withResolvers<{ readonly handlerEnded: Promise<void> | undefined }>()
  const metered: Metered = {
    setAmount: () => true,
    abandon: (handlerEnded) => {
      told.push('abandoned')
      abandoned.resolve({ handlerEnded })
    },
    finish: async (answer) => {
      told.push('taken')
      const admitted = {
        ...{ paid: PAID, headers: {} },
        ended: async (reason = 'delivered') => ended.resolve(reason),
      }
      return { kind: 'kept', answer: change(answer), admitted }
    },
  }
  const server = createServer((_, response) => {
    serveMetered(response, metered, [])
    handler(response)
  })
  const { asking } = await openTestServer(server)
  const get = async () => {
    const [answer] = (await once(asking().end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode, body: await text(answer) }
  }
  return { asking, get, told, ended: ended.promise, abandoned: abandoned.promise }
}

test('for an answer that Node would not send nothing is taken, and the buyer reads why', async () => {
  const { get, told } = await openServer((response) => {
    response.statusCode = Number('none')
    response.end('goods')
  })
  const { status, body } = await get()
  expect([status, JSON.parse(body)]).toMatchObject([500, { error: 'answer_not_sendable' }])
  expect(told).toEqual(['abandoned'])
})

test('of an answer that was paid for and cannot be sent the seller hears, and the connection ends', async () => {
  const headers = [['x-mine', 'two\r\nlines']] as const
  const { asking, told, ended } = await openServer(
    (response) => response.end('goods'),
    (answer) => ({ ...answer, headers }),
  )
  const request = asking()
  const broken = once(request, 'error')
  request.end()
  expect(await ended).toBe('the answer could not be sent')
  await broken
  expect(told).toEqual(['taken'])
})

test('a visit whose buyer is gone is over when its handler is', async () => {
  const working = Promise.withResolvers<ServerResponse>()
  const { asking, told, abandoned } = await openServer((response) => working.resolve(response))
  const lost = asking()
  lost.on('error', () => undefined).end()
  const response = await working.promise
  lost.destroy()
  const { handlerEnded } = await abandoned
  let hasEnded = false
  void handlerEnded?.then(() => (hasEnded = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasEnded).toBe(false)
  response.end('goods')
  await handlerEnded
  expect(told).toEqual(['abandoned'])
})

test('an answer of the handler that was too long runs on into nothing', async () => {
  const { get, told, abandoned } = await openServer((response) => {
    response.write('x'.repeat(9 * 1024 * 1024))
    setImmediate(() => setImmediate(() => response.end('goods')))
  })
  const { status, body } = await get()
  expect([status, JSON.parse(body)]).toMatchObject([500, { error: 'answer_too_long' }])
  await (
    await abandoned
  ).handlerEnded
  expect(told).toEqual(['abandoned'])
})
