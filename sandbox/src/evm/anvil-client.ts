import { Agent, request } from 'node:http'
import type { Json, JsonObject } from '../host/json.ts'
import { isJsonObject, parseJson } from '../host/json.ts'

const SOCKETS_MAX = 64
const CALL_MILLISECONDS = 30_000

/** anvil gave no proper answer: it is starting, dying or dead. */
export class AnvilUnreachable extends Error {
  override readonly name = 'AnvilUnreachable'
}

/** anvil answered with a JSON-RPC error. */
export class AnvilRefusal extends Error {
  override readonly name = 'AnvilRefusal'
}

export interface AnvilClient {
  /** Sends a JSON-RPC body as it is and gives back the answer's bytes. @throws {AnvilUnreachable} */
  post(body: string | Buffer): Promise<Buffer>
  /** One call. @throws {AnvilUnreachable | AnvilRefusal} */
  call(method: string, params?: readonly Json[]): Promise<Json>
  close(): void
}

/** Talks to one anvil over kept-alive connections. */
export function openAnvilClient(port: number): AnvilClient {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })

  const once = async (body: string | Buffer): Promise<Buffer> =>
    await new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        agent,
        method: 'POST',
        timeout: CALL_MILLISECONDS,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      }
      const sent = request(options, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.once('error', fail)
        answer.once('end', () => resolve(Buffer.concat(parts)))
      })
      const fail = (error: Error): void =>
        reject(new StaleSocket(error.message, sent.reusedSocket && error.message !== 'timeout'))
      sent.once('error', fail)
      sent.once('timeout', () => sent.destroy(new Error('timeout')))
      sent.end(body)
    })

  const post = async (body: string | Buffer): Promise<Buffer> => {
    try {
      return await once(body)
    } catch (error) {
      // An idle connection that anvil closed just now: the request never reached it, or reaches it twice, and
      // every call of ours bears that (a transaction is known by its hash).
      if (error instanceof StaleSocket && error.reused) return await once(body)
      throw error
    }
  }

  const call = async (method: string, params: readonly Json[] = []): Promise<Json> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = parseJson((await post(body)).toString('utf8'))
    if (!isJsonObject(answer)) throw new AnvilUnreachable(`no JSON-RPC answer to ${method}`)
    if (answer['error'] !== undefined)
      throw new AnvilRefusal(`${method}: ${textOf(answer['error'])}`)
    return answer['result'] ?? null
  }

  return { post, call, close: () => agent.destroy() }
}

class StaleSocket extends AnvilUnreachable {
  readonly reused: boolean
  constructor(message: string, reused: boolean) {
    super(message)
    this.reused = reused
  }
}

function textOf(error: Json): string {
  const message: JsonObject = isJsonObject(error) ? error : {}
  return typeof message['message'] === 'string' ? message['message'] : JSON.stringify(error)
}
