import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { httpServer, readBody, sendJson } from '../host/http.ts'
import { isMeantForLoopback } from '../host/loopback.ts'
import type { Answer, AnswerParts } from './rpc/answer.ts'
import { answerBody, BODY_BYTES_MAX } from './rpc/answer.ts'

/** Longer than clients keep an idle connection, so that it is they who end it. */
const KEEP_ALIVE_MILLISECONDS = 65_000

/** JSON-RPC over HTTP, for loopback names only. */
export function createHttpGateway(parts: AnswerParts): Server {
  const server = httpServer(
    async (request, response) => await handle(parts, request, response),
    parts.log,
  )
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS
  return server
}

async function handle(
  parts: AnswerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const down = parts.faults?.down()
  if (down !== undefined) return send({ kind: down }, response)
  if (!isMeantForLoopback(request)) {
    return sendJson(response, 403, { error: 'this node answers requests to loopback names only' })
  }
  if (request.method === 'GET' && request.url === '/health') {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('ok')
    return
  }
  if (request.method !== 'POST') return sendJson(response, 405, { error: 'POST a JSON-RPC call' })
  const body = await readBody(request, BODY_BYTES_MAX)
  if (body === undefined) {
    return sendJson(response, 413, { error: `a body has at most ${BODY_BYTES_MAX} bytes` })
  }
  send(await answerBody(parts, body), response)
}

function send(answer: Answer, response: ServerResponse): void {
  switch (answer.kind) {
    case 'text': {
      if (response.destroyed) return
      const bytes = Buffer.from(answer.text)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': bytes.length,
      })
      response.end(bytes)
      return
    }
    case 'http-500':
      return sendJson(response, 500, { error: 'Internal Server Error' })
    case 'connection-reset':
      response.socket?.resetAndDestroy()
      return
    case 'hang':
      return
    default:
      answer satisfies never
  }
}
