import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { hold } from './hold.ts'
import type { Held } from './hold.ts'
import { deliver } from './serve-metered.ts'

/** A server that holds what a handler answers, and sends it when `decide` says so. */
async function openHold(
  handler: (response: ServerResponse) => void,
  decide: (held: Held) => boolean,
  lengthMax?: number,
) {
  const outcome = Promise.withResolvers<Held>()
  const server = createServer((_, response) => {
    response.setHeader('x-before', 'kept')
    const { held, release } = hold(response, lengthMax)
    handler(response)
    void held.then((each) => {
      outcome.resolve(each)
      release('cleared')
      const ended = async () => undefined
      const paid = { paymentId: null, transaction: '', network: '', payer: null, amount: '0' }
      const admitted = { paid: { ...paid, resource: '' }, headers: {}, ended }
      if (each.kind === 'answered' && decide(each)) deliver(response, each.answer, admitted)
      else response.end('none')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  const asking = () => ask({ port, host: '127.0.0.1' })
  const get = async () => {
    const [answer] = (await once(asking().end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
  }
  return { asking, get, outcome: outcome.promise }
}

const writeEveryWay = (response: ServerResponse) => {
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.writeHead(201, 'Made', { 'x-mine': 'yes' })
  response.flushHeaders()
  response.write('gru')
  response.write(Buffer.from('00fc', 'hex').subarray(1), () => undefined)
  response.write('bGF0', 'base64')
  response.end('ed', 'latin1')
}

test('what a handler writes goes out as it was written, once it may', async () => {
  const { get } = await openHold(writeEveryWay, () => true)
  const { status, headers, body } = await get()
  expect(status).toBe(201)
  expect(headers).toMatchObject({
    'x-mine': 'yes',
    'x-before': 'kept',
    'set-cookie': ['a=1', 'b=2'],
  })
  expect(body).toBe('gru\ufffdlated')
})

test('what a handler writes after the end is no part of it', async () => {
  const { get } = await openHold(
    (response) => {
      response.end('all')
      response.statusCode = 404
      response.setHeader('x-late', 'yes')
      response.write('more')
      response.end('still more')
    },
    () => true,
  )
  const { status, headers, body } = await get()
  expect([status, body, headers['x-late']]).toEqual([200, 'all', undefined])
})

test('of what may not go out neither a byte nor a header does', async () => {
  const { get } = await openHold(writeEveryWay, () => false)
  const { headers, body } = await get()
  expect(body).toBe('none')
  expect(headers).toMatchObject({ 'x-before': 'kept' })
  expect([headers['x-mine'], headers['set-cookie']]).toEqual([undefined, undefined])
})

test('headers are taken as pairs and in turn, too', async () => {
  for (const headers of [
    ['x-mine', 'yes', 'x-too', '1'],
    [
      ['x-mine', 'yes'],
      ['x-too', '1'],
    ],
  ]) {
    const { get } = await openHold(
      (response) => void response.writeHead(200, headers as string[]).end('all'),
      () => true,
    )
    expect((await get()).headers).toMatchObject({ 'x-mine': 'yes', 'x-too': '1' })
  }
})

test('an answer of more than is held is none', async () => {
  const { get, outcome } = await openHold(
    (response) => {
      response.write('12345')
      response.end('67890')
    },
    () => true,
    9,
  )
  expect((await get()).body).toBe('none')
  expect(await outcome).toEqual({ kind: 'too_long' })
})

test('a buyer that goes away before there is an answer is known to be gone', async () => {
  const reached = Promise.withResolvers<void>()
  const { asking, outcome } = await openHold(
    () => reached.resolve(),
    () => true,
  )
  const lost = asking()
  lost.on('error', () => undefined).end()
  await reached.promise
  lost.destroy()
  expect(await outcome).toEqual({ kind: 'gone' })
})
