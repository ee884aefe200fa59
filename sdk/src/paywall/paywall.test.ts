import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { Florin } from '../florin.ts'
import { encodeHeader } from './header-json.ts'
import { paywall } from './paywall.ts'
import { openTestServer } from './test-server.ts'

const NETWORK = 'eip155:84532'
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const ACCEPTED = { scheme: 'exact', network: NETWORK, amount: '10000', asset: TOKEN, payTo: PAY_TO }
const PROOF = encodeHeader({ x402Version: 2, accepted: ACCEPTED, payload: {} })

/** A shop on plain `http` before a service that settles a proof once. */
async function openShop(handler: RequestListener, symbol = 'USDC') {
  const florin = new Florin({ baseUrl: 'http://service.example', apiKey: 'k' })
  const assets = [
    { symbol: 'USDC', asset: TOKEN, decimals: 6, eip712: { name: 'USDC', version: '2' } },
  ]
  Object.assign(florin.networks, { list: async () => [{ network: NETWORK, assets }] })
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }]
  let settled = 0
  Object.assign(florin.x402, {
    supported: async () => ({ kinds, extensions: [], signers: {} }),
    settle: async () => {
      settled += 1
      const known = { transaction: '0xabc', network: NETWORK, extra: { paymentId: 'pay_1' } }
      if (settled === 1) return { success: true, ...known }
      return { success: false, errorReason: 'duplicate_settlement', ...known }
    },
  })
  const undelivered = Promise.withResolvers<string>()
  const problems: string[] = []
  const wall = paywall(florin, {
    ...{ amount: '0.01', asset: symbol, network: NETWORK, payTo: PAY_TO },
    onUndelivered: (_, reason) => undelivered.resolve(reason),
    onProblem: (code) => problems.push(code),
  })
  const rejected: unknown[] = []
  const closed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.once('close', () => closed.resolve())
    wall(request, response, () => handler(request, response)).catch((error: unknown) =>
      rejected.push(error),
    )
  })
  const { asking, port } = await openTestServer(server)
  const buy = async () => {
    const buying = asking({ 'payment-signature': PROOF }).end()
    const [answer] = (await once(buying, 'response')) as [IncomingMessage]
    return answer
  }
  return {
    port,
    asking,
    buy,
    rejected,
    problems,
    undelivered: undelivered.promise,
    closed: closed.promise,
  }
}

test('a buyer that reads nearly everything and breaks the connection has had it', async () => {
  const shop = await openShop((_, response) => void response.write('all of it but the last byte'))
  const answer = await shop.buy()
  expect(answer.statusCode).toBe(200)
  await once(answer, 'data')
  answer.destroy()
  await shop.closed
  const again = await shop.buy()
  expect(again.statusCode).toBe(409)
})

test('a connection that breaks before a byte of the answer leaves the proof to be shown again', async () => {
  let isFirst = true
  const reached = Promise.withResolvers<void>()
  const shop = await openShop((_, response) => {
    response.writeHead(200)
    if (!isFirst) response.end('goods')
    isFirst = false
    reached.resolve()
  })
  const lost = shop.asking({ 'payment-signature': PROOF })
  lost.on('error', () => undefined).end()
  await reached.promise
  lost.destroy()
  expect(await shop.undelivered).toMatch(/broke/)
  expect((await shop.buy()).statusCode).toBe(200)
})

test('a host that is none is answered with 400, and the process lives on', async () => {
  const shop = await openShop((_, response) => void response.end('goods'))
  const socket = connect(shop.port, '127.0.0.1')
  socket.end('GET /report HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n')
  const [head] = (await once(socket, 'data')) as [Buffer]
  expect(head.toString()).toMatch(/^HTTP\/1.1 400 /)
  expect(shop.rejected).toEqual([])
})

test.each([
  ['GET /dear', 'shop.example', 'http://shop.example/dear'],
  ['GET /dear?n=1', 'shop.example:8080', 'http://shop.example:8080/dear?n=1'],
  ['GET http://shop.example/dear', 'elsewhere.example', 'http://shop.example/dear'],
  ['GET /dear', 'shop.example/cheap#', 400],
  ['GET /dear', 'shop.example\\cheap#', 400],
  ['GET /dear', 'shop.example/cheap?', 400],
  ['GET /dear', 'shop.example#', 400],
  ['GET /dear', 'buyer@shop.example', 400],
])('%s at the host %s is one for %s', async (line, host, place) => {
  const shop = await openShop((_, response) => void response.end('goods'))
  const socket = connect(shop.port, '127.0.0.1')
  socket.end(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  const demand = /payment-required: (\S+)/i.exec(head.toString())?.[1]
  const asked = demand === undefined ? {} : (JSON.parse(atob(demand)) as object)
  if (typeof place === 'number') expect(head.toString()).toContain(`HTTP/1.1 ${place} `)
  else expect(asked).toMatchObject({ resource: { url: place } })
})

test('a price that nobody can pay is 503 where no framework catches it, and the seller is told', async () => {
  const shop = await openShop((_, response) => void response.end('goods'), 'NOTHING')
  expect((await shop.buy()).statusCode).toBe(503)
  expect(shop.rejected).toEqual([])
  expect(shop.problems).toEqual(['INVALID_SETTING'])
})

const DEEP = (depth: number): unknown => (depth === 0 ? 1 : [DEEP(depth - 1)])

test.each([
  [
    'an address that is no text',
    { accepted: { ...ACCEPTED, asset: { toString: 1, valueOf: 1 } } },
    402,
  ],
  ['an address in a list', { accepted: { ...ACCEPTED, asset: [TOKEN] } }, 402],
  ['a receiver of many lists', { accepted: { ...ACCEPTED, payTo: DEEP(3_000) } }, 400],
  ['lists in lists', { accepted: ACCEPTED, payload: DEEP(40) }, 400],
  ['more than anybody signs', { accepted: ACCEPTED, payload: Array(1_000).fill(1) }, 400],
  ['a long name', { accepted: ACCEPTED, payload: { ['a'.repeat(200)]: 1 } }, 400],
  ['half a character', { accepted: ACCEPTED, payload: { note: '\ud800' } }, 400],
  [
    'a name that no payment has',
    { accepted: ACCEPTED, payload: JSON.parse('{"__proto__":1}') as object },
    400,
  ],
] as const)('%s is the buyer’s mistake, and nobody else hears of it', async (_, shown, status) => {
  const { asking, problems, rejected } = await openShop((_request, response) =>
    response.end('goods'),
  )
  const proof = encodeHeader({ x402Version: 2, payload: {}, ...shown })
  const buying = asking({ 'payment-signature': proof }).end()
  const [answer] = (await once(buying, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(status)
  expect([problems, rejected]).toEqual([[], []])
})

test('what a buyer repeats of an offer may be as deep as its seller wrote it', async () => {
  const { asking, problems } = await openShop((_request, response) => response.end('goods'))
  const repeated = { extensions: { bazaar: { schema: DEEP(40) } }, resource: { more: DEEP(40) } }
  const proof = encodeHeader({ x402Version: 2, accepted: ACCEPTED, payload: {}, ...repeated })
  const buying = asking({ 'payment-signature': proof }).end()
  const [answer] = (await once(buying, 'response')) as [IncomingMessage]
  expect([answer.statusCode, problems]).toEqual([200, []])
})
