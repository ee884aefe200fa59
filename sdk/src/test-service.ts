import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'
import { Florin } from './florin.ts'
import type { FlorinOptions } from './connection.ts'

export const TEST_KEY = 'florin_test_canary0123456789'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly idempotencyKey: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

/** What a request is answered with, in order; the last one stays. */
export type Step = (request: Seen, response: ServerResponse) => void

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

export function refusal(
  status: number,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Step {
  const error = {
    code,
    message: `says ${code}`,
    requestId: 'req_1',
    docs: 'https://a.b/c',
    ...more,
  }
  return answer(status, { success: false, error, timestamp: 1 }, headers)
}

/** The connection breaks after the request was read: nobody learns what became of it. */
export const lost: Step = (_, response) => response.destroy()

/** Never answers. */
export const silent: Step = () => undefined

/** A service of which every answer is written down beforehand, on a real socket, and a clock whose pauses take no time. */
export async function openTestService(script: readonly Step[]) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const entry: Seen = {
        method: request.method ?? '',
        url: request.url ?? '',
        idempotencyKey: request.headers['idempotency-key']?.toString(),
        authorization: request.headers.authorization,
        body,
      }
      const step = script[Math.min(seen.length, script.length - 1)]
      seen.push(entry)
      step?.(entry, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const baseUrl = `http://127.0.0.1:${address.port}`
  const pauses: number[] = []
  const alarms: (() => void)[] = []
  let time = 1_000_000
  const clock: Clock = {
    now: () => time,
    sleep: (milliseconds) => {
      pauses.push(milliseconds)
      time += milliseconds
      return Promise.resolve()
    },
    after: (_, call) => {
      alarms.push(call)
      return () => undefined
    },
  }
  return {
    baseUrl,
    seen,
    /** Milliseconds of every pause so far. */
    pauses,
    clock,
    /** The time limit of the newest request is over. */
    ringAlarm: () => alarms.at(-1)?.(),
    client: (options: Partial<FlorinOptions> = {}) =>
      new Florin({ baseUrl, apiKey: TEST_KEY, clock, random: () => 0.5, ...options }),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
