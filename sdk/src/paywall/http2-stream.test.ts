import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import type { Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { until } from '@florin/server/kernel/until.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openShop } from './test-shop.ts'
import type { Scheme } from './test-shop.ts'

type Handler = (response: Http2ServerResponse) => unknown

/** A shop on HTTP/2 whose handler knows the stream below its response. */
async function openStreamShop(scheme: Scheme, handler: Handler) {
  const { wall, paying, told } = openShop(scheme)
  const rejected: unknown[] = []
  const server = createServer((request, response) => {
    wall(request, response, () => handler(response)).catch((error: unknown) => rejected.push(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => {
    client.close()
    server.close()
  })
  const buy = async () => {
    const stream = client.request({ ':path': '/goods', ...paying })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: headers[':status'], headers, body: await text(stream) }
  }
  return { buy, told, rejected }
}

const FILE = fileURLToPath(import.meta.url)
const SAID = { 'Cache-Control': 'public, max-age=3600', vary: 'accept' }

test.each([
  ['respond', (stream) => stream.respond({ ':status': 200, ...SAID })],
  ['respond, as a list', (stream) => stream.respond(Object.entries(SAID).flat())],
  ['respondWithFile', (stream) => stream.respondWithFile(FILE, SAID)],
] satisfies readonly (readonly [string, (stream: Http2ServerResponse['stream']) => void])[])(
  'HTTP/2: an answer by the stream itself tells its buyer of the payment and caches to keep off: %s',
  async (name, answer) => {
    const { buy, told, rejected } = await openStreamShop('exact', ({ stream }) => {
      answer(stream)
      if (name !== 'respondWithFile') stream.end('goods')
    })
    const { status, headers, body } = await buy()
    expect([status, body !== '']).toEqual([200, true])
    expect(headers).toMatchObject({
      'payment-response': expect.stringMatching(/./) as unknown,
      'cache-control': 'private, no-store',
      vary: 'accept, PAYMENT-SIGNATURE, X-PAYMENT',
    })
    expect((await buy()).status).toBe(409)
    expect([told, rejected]).toEqual([['paid'], []])
  },
)

test('HTTP/2: a refusal by the stream itself is no delivery, and its buyer may ask again', async () => {
  let times = 0
  const { buy, told } = await openStreamShop('exact', (response) => {
    times += 1
    if (times > 1) return response.end('goods')
    response.stream.respond({ ':status': 500 })
    return response.stream.end('broken')
  })
  expect((await buy()).status).toBe(500)
  await until('the seller has heard', () => told.length === 2, { seconds: 30 })
  expect(told).toEqual(['paid', 'the handler answered 500'])
  expect((await buy()).body).toBe('goods')
})

test.each([
  ['respond', (stream) => stream.respond({ ':status': 200 })],
  ['respondWithFile', (stream) => stream.respondWithFile(FILE)],
] satisfies readonly (readonly [string, (stream: Http2ServerResponse['stream']) => void])[])(
  'HTTP/2: by upto nothing goes out past what is held until it is paid for: %s',
  async (_, answer) => {
    let times = 0
    const { buy, told, rejected } = await openStreamShop('upto', (response) => {
      times += 1
      if (times === 1) answer(response.stream)
      response.end('goods')
    })
    expect(await buy()).toMatchObject({ status: 500, body: '' })
    expect([told, rejected]).toEqual([['handler_threw'], []])
    expect(await buy()).toMatchObject({ status: 200, body: 'goods' })
    expect(told).toEqual(['handler_threw', 'paid'])
  },
)

test.each([
  ['write', (stream) => void stream.write('goods')],
  ['end', (stream) => void stream.end('goods')],
  ['pipe', (stream) => void Readable.from(['goods']).pipe(stream)],
] satisfies readonly (readonly [string, (stream: Http2ServerResponse['stream']) => void])[])(
  'HTTP/2: by upto what is written to the stream itself breaks it, and nothing is taken: %s',
  async (_, write) => {
    let times = 0
    const { buy, told, rejected } = await openStreamShop('upto', (response) => {
      times += 1
      if (times > 1) return response.end('goods')
      write(response.stream)
      return response.stream.once('close', () => response.end())
    })
    await expect(buy()).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
    expect([told, rejected]).toEqual([[], []])
    expect(await buy()).toMatchObject({ status: 200, body: 'goods' })
    expect(told).toEqual(['paid'])
  },
)
