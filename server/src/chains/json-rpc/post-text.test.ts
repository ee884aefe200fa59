import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { postText } from './post-text.ts'
import type { Posted } from './post-text.ts'

const open: Server[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

/** A node, and a way to post to it. */
async function nodeThat(
  answers: RequestListener,
): Promise<(body: string, responseBytesMax?: number) => Promise<Posted>> {
  const server = createServer(answers).listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return (body, responseBytesMax = 1_000) =>
    postText({ url, headers: { 'x-own': 'yes' }, body, responseBytesMax }).answer
}

const said = (response: ServerResponse, text: string) => response.writeHead(200).end(text)

test('requests one after the other go over one connection, with the headers and the length of the body', async () => {
  const seen: IncomingMessage[] = []
  const post = await nodeThat((request, response) => {
    seen.push(request)
    said(response, 'ü')
  })
  expect(await post('é')).toEqual({ status: 200, text: 'ü' })
  await post('é')
  expect(new Set(seen.map(({ socket }) => socket.remotePort)).size).toBe(1)
  expect(seen[0]?.headers).toMatchObject({ 'x-own': 'yes', 'content-length': '2' })
})

test('a connection that lay idle and is closed just when it is used again is opened anew, once', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const asked: boolean[] = []
  const post = await nodeThat(({ socket }, response) => {
    asked.push(true)
    if (asked.length === 2 || asked.length > 3) socket.resetAndDestroy()
    else said(response, 'here')
  })
  await post('a')
  now = 3_000
  expect((await post('a')).text).toBe('here')
  expect(asked).toHaveLength(3)
  // Once: the new connection is not stale.
  await expect(post('a')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(asked).toHaveLength(4)
})

test('a node that resets a connection is not asked again, whether or not it was open from before', async () => {
  let asked = 0
  const post = await nodeThat(({ socket }, response) => {
    asked += 1
    if (asked === 2) said(response, 'here')
    else socket.resetAndDestroy()
  })
  await expect(post('a')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await post('a')).text).toBe('here')
  await expect(post('a')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(asked).toBe(3)
})

test('a packed answer is read, and is bounded by what is in it', async () => {
  const text = 'block '.repeat(100)
  const post = await nodeThat((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
  })
  expect((await post('a')).text).toBe(text)
  await expect(post('a', 599)).rejects.toThrow('too many bytes')
})

test.each([
  ['is not packed as it says', 'gzip', Buffer.from('not packed at all')],
  ['ends in the middle', 'gzip', gzipSync('a long answer').subarray(0, 12)],
  ['is packed in a way that was not asked for', 'br', Buffer.from('x')],
])('an answer that %s is a failure', async (_, encoding, bytes) => {
  const post = await nodeThat((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes)
  })
  await expect(post('a')).rejects.toThrow()
})

test.each([{}, { 'content-length': '100' }])(
  'an answer that breaks off is a failure: %j',
  async (headers) => {
    const post = await nodeThat(({ socket }, response) => {
      response.writeHead(200, headers)
      response.write('half of it', () => setImmediate(() => socket.destroy()))
    })
    await expect(post('a')).rejects.toMatchObject({ code: 'ECONNRESET' })
  },
)

test('what is said to be longer than it may be is not read to its end', async () => {
  const closed = Promise.withResolvers<void>()
  const post = await nodeThat((_, response) => {
    response.writeHead(200).write('x'.repeat(2_000))
    response.on('close', () => closed.resolve())
  })
  await expect(post('a')).rejects.toThrow('too many bytes')
  await closed.promise
})

test('nobody is followed elsewhere, and of an answer that is no success only the status is told', async () => {
  let followed = 0
  const post = await nodeThat(({ url }, response) => {
    if (url !== '/') followed += 1
    response.writeHead(302, { location: '/elsewhere' }).end('secret')
  })
  expect(await post('a')).toEqual({ status: 302, text: '' })
  expect(followed).toBe(0)
})

test('of an error what is short is told, and of one that is long only the status', async () => {
  const post = await nodeThat((_, response) => {
    response.writeHead(500).end('too many calls')
  })
  expect(await post('a')).toEqual({ status: 500, text: 'too many calls' })
  expect(await post('a', 5)).toEqual({ status: 500, text: '' })
})

test('what is given up rejects, and its connection is closed', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const silent = postText({ url, headers: {}, body: 'a', responseBytesMax: 100 })
  const [{ socket }] = (await once(server, 'request')) as [IncomingMessage]
  const closed = once(socket, 'close')
  silent.abandon()
  await expect(silent.answer).rejects.toThrow('no answer in time')
  await closed
})
