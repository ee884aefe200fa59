import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hold } from './hold.ts'
import type { Held } from './hold.ts'
import { deliver } from './serve-metered.ts'
import { openTestServer } from './test-server.ts'

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
      const isGiven = each.kind === 'answered' && decide(each)
      release(isGiven ? 'emptied' : 'cleared')
      const ended = async () => undefined
      const paid = { paymentId: null, transaction: '', network: '', payer: null, amount: '0' }
      const admitted = { paid: { ...paid, resource: '' }, headers: {}, ended }
      if (isGiven) deliver(response, each.answer, admitted)
      else {
        response.statusCode = 200
        response.end('none')
      }
    })
  })
  const { asking } = await openTestServer(server)
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

test('a buffer that the handler uses again is delivered as it was when it was written', async () => {
  const write = async (response: ServerResponse) => {
    const buffer = Buffer.from('AAAA')
    await new Promise<void>((resolve) => response.write(buffer, () => resolve()))
    buffer.write('BBBB')
    response.end(buffer)
  }
  const { get } = await openHold(
    (response) => void write(response),
    () => true,
  )
  expect((await get()).body).toBe('AAAABBBB')
})

test('an answer without an end is known to be too long when it is, and what comes then goes nowhere', async () => {
  const handler = Promise.withResolvers<ServerResponse>()
  const { get, outcome } = await openHold(
    (response) => {
      response.write('12345')
      response.write('67890')
      handler.resolve(response)
    },
    () => true,
    9,
  )
  const got = get()
  expect(await outcome).toEqual({ kind: 'too_long' })
  const response = await handler.promise
  for (const part of ['more', 'and more']) response.write(part)
  response.end('the end')
  expect((await got).body).toBe('none')
  response.write('late')
  response.end('later')
})

test('a handler that writes for ever, one part after the other, leaves the server its turn', async () => {
  let isHeard = false
  const rounds = Promise.withResolvers<number>()
  const write = async (response: ServerResponse) => {
    let times = 0
    for (; !isHeard && times < 100_000; times += 1) {
      await new Promise<void>((resolve) => response.write('12345', () => resolve()))
    }
    rounds.resolve(times)
  }
  const { get } = await openHold(
    (response) => void write(response),
    () => true,
    9,
  )
  expect((await get()).body).toBe('none')
  isHeard = true
  expect(await rounds.promise).toBeLessThan(100_000)
})

test('a name with several values has all of them, and a header that was removed stays away', async () => {
  const twice = ['set-cookie', 'a=1', 'Set-Cookie', 'b=2']
  const { get } = await openHold(
    (response) => {
      response.removeHeader('x-before')
      response.writeHead(200, twice).end('all')
    },
    () => true,
  )
  const { headers } = await get()
  expect([headers['set-cookie'], headers['x-before']]).toEqual([['a=1', 'b=2'], undefined])
})

test.each([
  ['a status that is no number', (response: ServerResponse) => setStatus(response, Number.NaN)],
  ['a status that comes before answers', (response: ServerResponse) => setStatus(response, 100)],
  [
    'an encoding that is none',
    (response: ServerResponse) => Reflect.apply(response.write, response, ['x', 'none']),
  ],
  [
    'a part that is neither text nor bytes',
    (response: ServerResponse) => Reflect.apply(response.write, response, [7]),
  ],
])('an answer with %s is none', async (_, handler) => {
  const { get, outcome } = await openHold(
    (response) => {
      handler(response)
      response.end('goods')
    },
    () => true,
  )
  expect((await get()).body).toBe('none')
  expect(await outcome).toEqual({ kind: 'unsendable' })
})

function setStatus(response: ServerResponse, status: number): void {
  response.statusCode = status
}

test.each([
  ['as one that was refused', 200, 500],
  ['as one that failed in another way', 400, 500],
  ['in an answer of another length', 500, 500],
])(
  'a handler that fails in the middle, and ends %s, has answered nothing',
  async (_, first, last) => {
    const { get, outcome } = await openHold(
      (response) => {
        response.statusCode = first
        response.write('goods')
        response.statusCode = last
        response.setHeader('content-length', '5')
        response.end('sorry')
      },
      () => true,
    )
    const { headers, body } = await get()
    expect([body, headers['content-length']]).toEqual(['none', undefined])
    expect(await outcome).toEqual({ kind: 'unsendable' })
  },
)

test('a refusal in parts is one', async () => {
  const { get } = await openHold(
    (response) => {
      response.writeHead(404, { 'content-length': '10' }).write('there ')
      response.end('none')
    },
    () => true,
  )
  expect(await get()).toMatchObject({ status: 404, body: 'there none' })
})

test('an answer in parts of a letter each is bounded by what it takes of memory', async () => {
  let written = 0
  const { get, outcome } = await openHold(
    (response) => {
      for (; written < 20_000; written += 1) response.write(written % 2 === 0 ? 'a' : '')
      response.end()
    },
    () => true,
    100_000,
  )
  expect((await get()).body).toBe('none')
  expect(await outcome).toEqual({ kind: 'too_long' })
})
