import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openOutbound } from './outbound.ts'
import type { OutboundOptions, OutboundRequest } from './outbound.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A listener on loopback, and how often anything reached it. */
async function listen(server: Server, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}
const serve = (listener: RequestListener) => listen(createServer(listener))
/** Says the same bytes to whoever connects. */
const say = (bytes: string) =>
  listen(createTcpServer((socket) => socket.once('data', () => socket.write(bytes))))

const outbound = (options: Partial<OutboundOptions> = {}) =>
  openOutbound({
    allowLoopback: true,
    ownListeners: () => [],
    clock: systemClock,
    ...options,
  })
const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'GET',
  timeoutMilliseconds: 5_000,
  bodyBytesMax: 64 * 1024,
  ...more,
})
const refused = (reason: string) => ({ kind: 'refused', reason })

test('asks with what was given and gives back what was answered, over a connection of its own', async () => {
  const seen: unknown[] = []
  const { port, connections } = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      seen.push([method, url, headers.host, headers['x-a'], Buffer.concat(chunks).toString()])
      response.writeHead(201, { 'x-b': ['1', '2'], 'set-cookie': ['a=1, 2', 'b=3'] }).end('there')
    })
  })
  const room = outbound()
  for (let times = 0; times < 2; times += 1) {
    const answer = await room.request(
      get(`http://localhost:${port}/a?b=c#d`, {
        method: 'POST',
        headers: { 'x-a': 'yes' },
        body: Buffer.from('hello'),
      }),
    )
    if (answer.kind !== 'answered') throw new Error(answer.reason)
    expect([answer.status, answer.headers.get('x-b')]).toEqual([201, '1, 2'])
    expect(answer.headers.get('set-cookie')).toBe('a=1, 2\nb=3')
    expect(Buffer.from(answer.body).toString()).toBe('there')
  }
  const once = ['POST', '/a?b=c', `localhost:${port}`, 'yes', 'hello']
  expect(seen).toEqual([once, once])
  expect(connections()).toBe(2)
})

/** Spellings of this machine and of others' insides; `P` is the port of a listener that must hear nothing. */
const LITERALS = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1'],
  ...['017700000001', '127.0.0.1.', '0x7F.1', '%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1'],
  ...[
    '0.0.0.0',
    '0',
    '0x0',
    '127.255.255.254',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
  ],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[64:ff9b::7f00:1]'],
  ...['[2002:7f00:1::]', '[fe80::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.localhost.', 'ⓛocalhost'],
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '2852039166', '100.100.100.200'],
  ...['0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '224.0.0.1', '255.255.255.255'],
]

test.each(LITERALS)('outside the sandbox %s is not called', async (host) => {
  const { port, connections } = await serve((_, response) => response.end())
  const room = outbound({
    allowLoopback: false,
    ports: [port],
    lookup: async () => {
      throw new Error('a literal was looked up')
    },
  })
  expect(await room.request(get(`https://${host}:${port}/`))).toEqual(
    refused('address_not_allowed'),
  )
  expect(connections()).toBe(0)
})

test('in the sandbox loopback is called, and nothing else of what is private', async () => {
  const { port, connections } = await serve((_, response) => response.end())
  const room = outbound()
  expect(await room.request(get(`http://127.0.0.1:${port}/`))).toMatchObject({ status: 200 })
  for (const host of ['0.0.0.0', '[::ffff:127.0.0.1]', '[::]', '10.0.0.1', '169.254.169.254']) {
    expect(await room.request(get(`http://${host}:${port}/`)), host).toEqual(
      refused('address_not_allowed'),
    )
  }
  expect(connections()).toBe(1)
})

test('our own listeners are not called, under whichever name or address', async () => {
  const { port, connections } = await serve((_, response) => response.end())
  for (const host of ['0.0.0.0', '::', '127.0.0.1', '::1']) {
    const room = outbound({ ownListeners: () => [{ host, port }] })
    for (const name of [
      '127.0.0.1',
      'localhost',
      '127.0.0.9',
      '2130706433',
      '[::1]',
      'my.localhost',
    ]) {
      expect(await room.request(get(`http://${name}:${port}/`)), `${host} ${name}`).toEqual(
        refused('address_not_allowed'),
      )
    }
  }
  expect(connections()).toBe(0)
})

test('a name is called only when all of its addresses are allowed, and is resolved only once', async () => {
  const { port, connections } = await serve((_, response) => response.end())
  const bad = ['10.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', 'fd00:ec2::254', '0.0.0.0']
  for (const address of bad) {
    for (const addresses of [[address], ['127.0.0.1', address], [address, '127.0.0.1']]) {
      const room = outbound({ lookup: async () => addresses })
      expect(await room.request(get(`http://name.test:${port}/`))).toEqual(
        refused('address_not_allowed'),
      )
    }
  }
  expect(connections()).toBe(0)
  // A name server that changes its mind between the check and the connection is not asked again.
  let asked = 0
  const flipping = outbound({ lookup: async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']) })
  expect(await flipping.request(get(`http://name.test:${port}/`))).toMatchObject({ status: 200 })
  expect(asked).toBe(1)
  expect(await flipping.request(get(`http://name.test:${port}/`))).toEqual(
    refused('address_not_allowed'),
  )
})

test('a name without addresses, and one that nobody can look up, are failures that reached nobody', async () => {
  const none = await outbound({ lookup: async () => [] }).request(get('http://name.test/'))
  expect(none).toEqual({ kind: 'failed', reason: 'name_not_found', mayHaveArrived: false })
  const lookup = async () => {
    throw new Error('no name server')
  }
  const unknown = await outbound({ lookup }).request(get('http://name.test/'))
  expect(unknown).toEqual({ kind: 'failed', reason: 'name_lookup_failed', mayHaveArrived: false })
})

test('outside the sandbox only https, only listed ports, and no credentials', async () => {
  const room = outbound({ allowLoopback: false, lookup: async () => ['127.0.0.1'] })
  const reasons: Record<string, string> = {
    'http://name.test/': 'scheme_not_allowed',
    'ftp://name.test/': 'scheme_not_allowed',
    'file:///etc/passwd': 'scheme_not_allowed',
    'gopher://name.test:70/_x': 'scheme_not_allowed',
    'https://name.test:8443/': 'port_not_allowed',
    'https://name.test:22/': 'port_not_allowed',
    'https://a@name.test/': 'credentials_in_url',
    'https://a:b@name.test/': 'credentials_in_url',
    'https://': 'not_a_url',
    'https://[::1%25eth0]/': 'not_a_url',
    '//name.test/': 'not_a_url',
    'https://256.1.1.1/': 'not_a_url',
    [`https://name.test/${'a'.repeat(limits.outboundUrlCharactersMax)}`]: 'not_a_url',
    'https://name.test/': 'address_not_allowed',
  }
  for (const [url, reason] of Object.entries(reasons)) {
    expect(await room.request(get(url)), url).toEqual(refused(reason))
  }
})

test('headers that speak about the connection, or that are none, are refused before anything is dialled', async () => {
  const { port, connections } = await serve((_, response) => response.end())
  const headers = [
    { Host: 'x' },
    { 'Transfer-Encoding': 'chunked' },
    { 'x-a': 'b\r\nc: d' },
    { 'x a': '1' },
  ]
  for (const each of headers) {
    expect(await outbound().request(get(`http://127.0.0.1:${port}/`, { headers: each }))).toEqual(
      refused('header_not_allowed'),
    )
  }
  expect(connections()).toBe(0)
})

test.each([301, 302, 303, 307, 308])(
  'a redirect with status %d is not followed',
  async (status) => {
    const inner = await serve((_, response) => response.end('secret'))
    const { port } = await serve((_, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    )
    expect(await outbound().request(get(`http://127.0.0.1:${port}/`))).toMatchObject({ status })
    expect(inner.connections()).toBe(0)
  },
)

test('a body and headers that are too long are read no further; nothing is unpacked', async () => {
  let written = 0
  const endless = await serve((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(16_384))) written += 16_384
    }
    response.on('drain', more)
    more()
  })
  const long = await outbound().request(get(`http://127.0.0.1:${endless.port}/`))
  const tooLong = { kind: 'failed', reason: 'body_too_long', mayHaveArrived: true }
  expect(long).toMatchObject({ ...tooLong, head: { status: 200 } })
  expect(written).toBeLessThan(32 * 1024 * 1024)

  const packed = gzipSync(Buffer.alloc(10_000_000))
  const bomb = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  )
  const answer = await outbound().request(get(`http://127.0.0.1:${bomb.port}/`))
  expect(answer.kind === 'answered' && answer.body.byteLength).toBe(packed.byteLength)

  const { port } = await say(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(64 * 1024)}\r\n\r\n`)
  const headers = await outbound().request(get(`http://127.0.0.1:${port}/`))
  expect(headers).toEqual({ kind: 'failed', reason: 'header_too_long', mayHaveArrived: true })
})

test('answers before the answer, and pieces of a body, are read as far as a bound, however few bytes they have', async () => {
  const saying = async (interim: number, pieces: number) => {
    const body = `${'1\r\nx\r\n'.repeat(pieces)}0\r\n\r\n`
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const { port } = await say(`${'HTTP/1.1 103 Wait\r\n\r\n'.repeat(interim)}${head}${body}`)
    return outbound().request(get(`http://127.0.0.1:${port}/`))
  }
  const { outboundInterimMax: interims, outboundPiecesMax: pieces } = limits
  const answer = await saying(interims, pieces)
  expect(answer.kind === 'answered' && answer.body.byteLength).toBe(pieces)
  const failed = { kind: 'failed', mayHaveArrived: true }
  expect(await saying(interims + 1, 1)).toEqual({ ...failed, reason: 'broken_answer' })
  expect(await saying(0, pieces + 1)).toMatchObject({ ...failed, reason: 'body_too_long' })
})

test('of a body that is said to be too long nothing is waited for, and its head is told', async () => {
  const head = (length: number) => `HTTP/1.1 201 Made\r\nx: y\r\ncontent-length: ${length}\r\n\r\n`
  const { port } = await say(head(64 * 1024 + 1))
  const long = await outbound().request(get(`http://127.0.0.1:${port}/`))
  if (long.kind !== 'failed') throw new Error('it was taken')
  expect(long).toMatchObject({ reason: 'body_too_long', mayHaveArrived: true })
  expect([long.head?.status, long.head?.headers.get('x')]).toEqual([201, 'y'])
  // Of an answer to HEAD it is the length of another one's body.
  const asked = { ...get(`http://127.0.0.1:${port}/`), method: 'HEAD' as const }
  expect(await outbound().request(asked)).toMatchObject({ kind: 'answered', status: 201 })
})

test('the time covers everything: a name that hangs, an answer that never comes, one that drips', async () => {
  const hanging = outbound({ lookup: () => new Promise(() => undefined) })
  const quick = { timeoutMilliseconds: 150 }
  expect(await hanging.request(get('http://name.test/', quick))).toEqual({
    kind: 'failed',
    reason: 'timeout',
    mayHaveArrived: false,
  })
  const silent = await listen(createTcpServer(() => undefined))
  const dripping = await listen(
    createTcpServer((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 10)
      socket.on('close', () => clearInterval(drip))
    }),
  )
  for (const { port } of [silent, dripping]) {
    const answer = await outbound().request(get(`http://127.0.0.1:${port}/`, quick))
    expect(answer).toEqual({ kind: 'failed', reason: 'timeout', mayHaveArrived: true })
  }
})

test('whoever gives up is told at once, and what cannot be read as an answer is a failure', async () => {
  const silent = await listen(createTcpServer(() => undefined))
  const gone = new AbortController()
  const asked = outbound().request(get(`http://127.0.0.1:${silent.port}/`, { signal: gone.signal }))
  gone.abort()
  expect(await asked).toMatchObject({ kind: 'failed', reason: 'given_up' })

  for (const bytes of ['nonsense\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n']) {
    const { port } = await say(bytes)
    const answer = await outbound().request(get(`http://127.0.0.1:${port}/`))
    expect(answer).toEqual({ kind: 'failed', reason: 'broken_answer', mayHaveArrived: true })
  }
  const { port } = await serve(() => undefined)
  for (const close of closers.splice(0)) await close()
  const closed = await outbound().request(get(`http://127.0.0.1:${port}/`))
  expect(closed).toEqual({ kind: 'failed', reason: 'not_connected', mayHaveArrived: false })
})

test('an answer that would speak another protocol is a failure at once', async () => {
  const { port } = await say(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  )
  const url = `http://127.0.0.1:${port}/`
  const answer = await outbound().request(get(url, { timeoutMilliseconds: 600_000 }))
  expect(answer).toEqual({ kind: 'failed', reason: 'broken_answer', mayHaveArrived: true })
})

test('so many requests at once and no more', async () => {
  const room = outbound({ lookup: () => new Promise(() => undefined) })
  const gone = new AbortController()
  const asked = Array.from({ length: limits.outboundRequestsMax }, () =>
    room.request(get('http://name.test/', { signal: gone.signal })),
  )
  expect(await room.request(get('http://name.test/'))).toMatchObject({ reason: 'busy' })
  gone.abort()
  expect((await Promise.all(asked)).every((each) => each.kind === 'failed')).toBe(true)
  expect(await room.request(get('http://10.0.0.1/'))).toEqual(refused('address_not_allowed'))
})
