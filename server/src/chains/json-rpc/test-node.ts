import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a scripted node does with a call: a result, an error in a node's words, or an accident. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | 'unanswered'

export interface TestNode {
  readonly url: string
  /** The methods of each HTTP request so far. */
  readonly requests: readonly (readonly string[])[]
  /** Headers of the latest request. */
  headers(): IncomingMessage['headers']
  stop(): Promise<void>
}

export interface Script {
  readonly chainId?: bigint
  /** Answers one call. */
  readonly reply?: (method: string, params: readonly unknown[]) => Reply
  /** Answers a request's calls together: each by itself, or all of them by one error. */
  readonly replyAll?: (
    calls: readonly { readonly params: readonly unknown[] }[],
  ) => readonly Reply[] | { readonly error: object }
  /** Waited for before a request is answered. */
  readonly hold?: () => Promise<void>
  /** Takes the whole request over; true means that it did. */
  readonly accident?: (request: IncomingMessage, response: ServerResponse) => boolean
}

interface Item {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node for tests that says what the script says, over real HTTP on a free loopback port. */
export async function startTestNode(script: Script): Promise<TestNode> {
  const requests: (readonly string[])[] = []
  let headers: IncomingMessage['headers'] = {}
  const server = createServer((request, response) => {
    headers = request.headers
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => void answer(request, response, pieces))
  })
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    pieces: readonly Buffer[],
  ): Promise<void> => {
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8')) as Item | Item[]
    const items = Array.isArray(body) ? body : [body]
    requests.push(items.map(({ method }) => method))
    await script.hold?.()
    if (script.accident?.(request, response) === true) return
    const together = script.replyAll?.(items)
    if (together !== undefined && 'error' in together) {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, ...together }))
      return
    }
    const answers = items.flatMap((item, index) => {
      const reply = together?.[index]
      return answerTo(reply === undefined ? script : { ...script, reply: () => reply }, item)
    })
    response.setHeader('content-type', 'application/json')
    // Out of order on purpose: JSON-RPC promises none.
    response.end(JSON.stringify(Array.isArray(body) ? answers.toReversed() : answers[0]))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    headers: () => headers,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerTo(script: Script, { id, method, params }: Item): object[] {
  if (method === 'eth_chainId') {
    const chainId = script.chainId ?? 84_532n
    return [{ jsonrpc: '2.0', id, result: `0x${chainId.toString(16)}` }]
  }
  const reply = script.reply?.(method, params) ?? { result: null }
  return reply === 'unanswered' ? [] : [{ jsonrpc: '2.0', id, ...reply }]
}
