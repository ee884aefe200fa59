import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { Ajv } from 'ajv'
import { ErrorBody } from '@florin/wire/error-body.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { catalogue, Refusal } from '@florin/wire/errors.ts'
import type { ErrorCode } from '@florin/wire/errors.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import type { Caller } from '../kernel/caller.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { route } from './route.ts'
import type { Route } from './route.ts'
import { openServer } from './server.ts'
import type { Server, ServerOptions } from './server.ts'

const accountId = newId(systemRandom, 'acct')
const keyId = newId(systemRandom, 'key')

/** A payment that says back what it was asked for. */
export const echoPayment: Route = route(endpoints.sendPayment, async ({ body, rawText }) => {
  const metadata = rawText('metadata')
  return {
    body: {
      paymentId: newId(systemRandom, 'pay'),
      signature: null,
      network: body.network ?? 'eip155:84532',
      asset: body.asset ?? 'native',
      amount: new RawJson(body.amount),
      amountBaseUnits: '1',
      sender: body.walletAddress,
      recipient: body.recipientAddress,
      status: 'pending' as const,
      blockHeight: null,
      fee: null,
      resource: body.resource ?? null,
      metadata: metadata === undefined ? null : new RawJson(metadata),
      paymentProof: null,
      estimatedConfirmation: null,
    },
  }
})

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Whether a body has the one shape of every error. */
export const isErrorBody = new Ajv().compile<{
  error: { code: ErrorCode; requestId: string; docs: string; details?: object }
}>(ErrorBody)

/** Throws unless this is an answer with that code, in the shape and with the headers that every error has. */
export function assertProblem({ body, headers, status }: Answered, code: ErrorCode): void {
  assert.ok(isErrorBody(body), JSON.stringify(body))
  assert.equal(body.error.code, code)
  assert.equal(status, catalogue[code].status)
  assert.equal(headers.get('x-request-id'), body.error.requestId)
  assert.match(body.error.docs, new RegExp(`^http://.*/docs/errors/${code}$`))
}

/** Sends bytes as they are and gives everything that comes back until the server closes. */
export async function rawAnswer(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(bytes)
  return readAll(socket)
}

/** A server on a free port of loopback; the key `good` opens it, and every answer is checked against its row. */
export async function openTestServer({
  authenticate = async ([value]) => {
    if (value !== 'Bearer good') throw new Refusal('UNAUTHORIZED')
    return { accountId, keyId, plan: 'standard', scopes: new Set(['read', 'write'] as const) }
  },
  permit = () => undefined,
  ...more
}: Partial<ServerOptions> & {
  readonly authenticate?: (authorization: readonly string[]) => Promise<Caller>
  readonly permit?: (caller: Caller) => void
} = {}): Promise<{
  readonly url: string
  readonly port: number
  readonly close: Server['close']
  ask(method: string, path: string, init?: RequestInit): Promise<Answered>
  send(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Answered>
}> {
  const server = openServer({
    routes: [echoPayment],
    gate: {
      admit: async ({ authorization }) => {
        const caller = await authenticate(authorization)
        permit(caller)
        return caller
      },
      admitAgain: ({ authorization }) => authenticate(authorization),
      admitStranger: () => undefined,
      admitFileReader: () => undefined,
    },
    log: openLog('silent'),
    clock: systemClock,
    random: systemRandom,
    readiness: async () => new Map([['database', 'ok' as const]]),
    limits,
    isUnavailable: () => false,
    checkAnswers: true,
    ...more,
  })
  const { url, port } = await server.listen({ host: '127.0.0.1', port: 0 })
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<Answered> => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', 'Bearer good')
    const answer = await fetch(url + path, { ...init, method, headers })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    url,
    port,
    close: () => server.close(),
    ask,
    send: (body, headers = {}) =>
      ask('POST', '/payment/send', {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}
