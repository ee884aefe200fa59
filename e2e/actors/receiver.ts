import { once } from 'node:events'
import { connect } from 'node:net'
import { createAccount } from '@florin/server/access/create-account.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Client, Reply } from './client.ts'
import { openClient } from './client.ts'
import type { Purchase } from './seller.ts'
import type { World } from './world.ts'
import { write } from '@florin/server/store/test-write.ts'

/** What the seller's purchase of 0.01 costs in whole units. */
export const AMOUNT = '0.01'
export const RESOURCE = 'https://shop.example/weather'

/** The value of the header that a buyer of a version sends. */
export function headerOf({ body }: Purchase, x402Version: 1 | 2 = 2, more: Fields = {}): string {
  const { payload } = body.paymentPayload
  return encoded(
    x402Version === 1
      ? { x402Version, scheme: 'exact', network: 'base-sepolia', payload, ...more }
      : { ...body.paymentPayload, ...more },
  )
}

export function encoded(header: unknown): string {
  return Buffer.from(JSON.stringify(header), 'utf8').toString('base64')
}

/** The body of POST /payment/receive for a purchase. */
export function receiving(purchase: Purchase, more: Fields = {}): Fields {
  return {
    walletAddress: purchase.payTo,
    paymentProof: headerOf(purchase),
    expectedAmount: AMOUNT,
    ...more,
  }
}

export function receive(
  client: Client,
  body: Fields,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Reply> {
  return client.post('/payment/receive', body, headers, signal)
}

/** A client of another account: the key of the world's premium plan moves there. */
export async function anotherAccount(world: World): Promise<Client> {
  const { store } = world.database
  const deps = { store, clock: systemClock, random: systemRandom }
  const { accountId } = await createAccount(deps, 'another')
  await write(
    store,
    'test_move_key',
    `update api_keys set account_id = $1 where plan = 'premium'`,
    [accountId],
  )
  return openClient(world.service().baseUrl, world.service().apiKeys.premium)
}

/** Asks and hangs up at once: whatever is answered reaches nobody. */
export async function askAndLeave(
  world: World,
  path: string,
  body: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { baseUrl, apiKeys } = world.service()
  const { hostname, port } = new URL(baseUrl)
  const text = JSON.stringify(body)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const head = Object.entries({
    host: hostname,
    authorization: `Bearer ${apiKeys.enterprise}`,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(text)}`,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  await once(socket, 'connect')
  // In one turn of the loop: on a busy machine the answer may be there before the next one, and then it was heard.
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  socket.destroy()
  await once(socket, 'close')
}
