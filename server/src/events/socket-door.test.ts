import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { isErrorBody, rawAnswer } from '../http/test-server.ts'
import { openTestEvents, openTestSocket } from './test-event-service.ts'
import type { TestEvents, TestInstance, TestKey } from './test-event-service.ts'

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='

let world: TestEvents
let service: TestInstance
beforeAll(async () => {
  world = await openTestEvents()
  service = await world.start()
})
afterAll(() => world.close())

test('a socket is refused at the door with a bad key, from a foreign page, and elsewhere', async () => {
  const statusOf = async (path: string, headers: Record<string, string>) => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}`, { headers })
    socket.on('error', () => undefined)
    const [, answer] = await once(socket, 'unexpected-response')
    return answer.statusCode
  }
  expect(await statusOf('/api/data', { authorization: 'Bearer florin_live_nobodys' })).toBe(401)
  expect(await statusOf('/data', { origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf('/api/payments', {})).toBe(404)
  const allowed = await openTestSocket(service.socketUrl, { origin: 'https://shop.example' })
  const own = await openTestSocket(service.socketUrl, { origin: 'http://here.example' })
  allowed.socket.terminate()
  own.socket.terminate()
})

test('a socket is told at the upgrade how much room its key has left, whether it opens or not', async () => {
  const rateAt = async (key: TestKey, event: 'upgrade' | 'unexpected-response') => {
    const headers = { authorization: `Bearer ${key.text}` }
    const socket = new WebSocket(service.socketUrl, { headers })
    socket.on('error', () => undefined)
    const [first, second] = await once(socket, event)
    socket.terminate()
    const told = (second ?? first).headers
    return [told['x-ratelimit-limit'], told['x-ratelimit-remaining'], told['ratelimit-policy']]
  }
  const policy = '"standard";q=100;w=60'
  const key = await world.aKey()
  expect(await rateAt(key, 'upgrade')).toEqual(['100', '99', policy])
  const deaf = await world.aKey('standard', key.accountId, ['trade'])
  expect(await rateAt(deaf, 'unexpected-response')).toEqual(['100', '99', policy])
})

test.each([
  ['a method that is not GET', ['POST', 'Sec-WebSocket-Version: 13', KEY], 405, 'allow: GET'],
  ['no key', ['GET', 'Sec-WebSocket-Version: 13'], 400, '"Sec-WebSocket-Key":'],
  ['another version', ['GET', 'Sec-WebSocket-Version: 8', KEY], 400, 'sec-websocket-version: 13'],
  [
    'subprotocols that cannot be read',
    ['GET', 'Sec-WebSocket-Version: 13', KEY, 'Sec-WebSocket-Protocol: ,'],
    400,
    '"Upgrade":',
  ],
])(
  'a socket that is asked for with %s is refused as everything else is',
  async (_, parts, status, said) => {
    const [method, ...headers] = parts
    const lines = [
      `${method} /data HTTP/1.1`,
      'host: x',
      'connection: upgrade',
      'upgrade: websocket',
    ]
    const port = Number(new URL(service.url).port)
    const answer = await rawAnswer(port, `${[...lines, ...headers].join('\r\n')}\r\n\r\n`)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(isErrorBody(JSON.parse(body))).toBe(true)
    expect(answer).toContain(said)
  },
)

test('whoever asks for another protocol is answered as if it had not', async () => {
  const port = Number(new URL(service.url).port)
  const answer = await rawAnswer(
    port,
    'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  const other = await rawAnswer(
    port,
    'GET /data HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: h2c\r\n\r\n',
  )
  expect(other).toMatch(/^HTTP\/1.1 404 /)
})

test('whoever comes without asking for a socket, as through a proxy, is told what is here', async () => {
  for (const path of ['/data', '/api/data?ticket=x']) {
    const answer = await fetch(service.url + path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'NOT_FOUND',
        message: expect.stringMatching(/WebSocket.*Upgrade.*GET \/events/),
      },
    })
  }
  const nowhere = await (await fetch(`${service.url}/nowhere`)).text()
  expect(nowhere).not.toContain('WebSocket')
})
