import { connect, constants, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { until } from '@florin/server/kernel/until.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openShop, settlesOnce, settlesWhenLet } from './test-shop.ts'
import type { Scheme, Shop } from './test-shop.ts'

/** A shop on HTTP/2, whose responses are none of `http`. */
async function openHttp2Shop({ wall, paying }: Shop) {
  const rejected: unknown[] = []
  const closed: Promise<unknown>[] = []
  const server = createServer((request, response) => {
    closed.push(once(response, 'close'))
    wall(request, response, () => response.end('goods')).catch((error: unknown) =>
      rejected.push(error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => {
    client.close()
    server.close()
  })
  const ask = (headers: Readonly<Record<string, string>> = paying) =>
    client.request({ ':path': '/goods', ...headers })
  const buy = async () => {
    const stream = ask()
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: headers[':status'], body: await text(stream) }
  }
  return { ask, buy, port, rejected, closed }
}

const SCHEMES: readonly Scheme[] = ['exact', 'upto']

test.each(SCHEMES)(
  'HTTP/2: what is settled for a buyer who has gone is told of, and delivered when it asks again, by %s',
  async (scheme) => {
    const { settle, asked, letGo } = settlesWhenLet(settlesOnce())
    const shop = openShop(scheme, settle)
    const { ask, buy, closed, rejected } = await openHttp2Shop(shop)
    const lost = ask()
    lost.on('error', () => undefined)
    await asked
    lost.close(constants.NGHTTP2_CANCEL)
    await Promise.all(closed)
    letGo()
    await until('the seller has heard', () => shop.told.length === 2, { seconds: 30 })
    expect(shop.told).toEqual(['paid', 'the buyer was gone before the answer'])
    expect(await buy()).toEqual({ status: 200, body: 'goods' })
    expect((await buy()).status).toBe(409)
    expect(rejected).toEqual([])
  },
)

test('HTTP/2: what is sold has the address that its buyer asked for', async () => {
  const { ask, port } = await openHttp2Shop(openShop('exact'))
  const [headers] = (await once(ask({}), 'response')) as [Record<string, string>]
  expect(JSON.parse(atob(headers['payment-required'] ?? ''))).toMatchObject({
    resource: { url: `http://127.0.0.1:${port}/goods` },
  })
})
