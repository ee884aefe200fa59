import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { World } from './world.ts'

/** A request as the seller saw it. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly body: string
  /** The payment that it carried, decoded; null when it carried none. */
  readonly payment: Fields | null
}

/** What the seller says to one request; it may do anything before. */
export type Saying = (
  asked: Asked,
  answer: ServerResponse,
  seller: OddSeller,
) => Promise<void> | void

export interface OddSeller {
  readonly url: string
  /** Every request so far, in order. */
  readonly asked: readonly Asked[]
  /** Those that carried a payment. */
  paid(): readonly Asked[]
  /** Changes what is said from now on. */
  says(saying: Saying): void
  stop(): Promise<void>
}

/** A seller made by hand, in this process: it says whatever a test wants it to say. */
export async function openOddSeller(saying: Saying): Promise<OddSeller> {
  const asked: Asked[] = []
  let current = saying
  const server = createServer((request, answer) => {
    void read(request).then(async (body) => {
      const { method = '', url = '' } = request
      const one = { method, url, body, payment: paymentIn(request) }
      asked.push(one)
      await current(one, answer, seller)
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const seller: OddSeller = {
    // Ports come back, and the same address is the same purchase.
    url: `http://127.0.0.1:${port}/goods/${randomUUID()}`,
    asked,
    paid: () => asked.filter(({ payment }) => payment !== null),
    says: (next) => {
      current = next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return seller
}

async function read(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

function paymentIn({ headers }: IncomingMessage): Fields | null {
  const header = headers['payment-signature'] ?? headers['x-payment']
  if (typeof header !== 'string') return null
  return fieldsOf(JSON.parse(Buffer.from(header, 'base64').toString())) ?? null
}

/** Says a demand of version 2. */
export function demandV2(
  answer: ServerResponse,
  accepts: readonly unknown[],
  more: object = {},
): void {
  const required = { x402Version: 2, error: 'payment required', accepts, ...more }
  const header = Buffer.from(JSON.stringify(required)).toString('base64')
  answer.writeHead(402, { 'payment-required': header }).end('{}')
}

/** Says a demand of version 1. */
export function demandV1(
  answer: ServerResponse,
  accepts: readonly unknown[],
  more: object = {},
): void {
  answer.writeHead(402, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ x402Version: 1, error: 'payment required', accepts, ...more }))
}

/** Takes the money of a payment of version 2 through the world's service, as its facilitator would. */
export async function takeMoney(
  world: World,
  { payment }: Asked,
  paymentRequirements: unknown,
): Promise<boolean> {
  const body = { x402Version: 2, paymentPayload: payment, paymentRequirements }
  const settled = await world.client().post('/x402/settle', body)
  return settled.body['success'] === true
}

export function hand(answer: ServerResponse, status: number, body = '{"goods":true}'): void {
  answer.writeHead(status, { 'content-type': 'application/json' }).end(body)
}
