import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { closeServer, httpServer, readBody, sendJson } from '../host/http.ts'
import type { Log } from '../host/log.ts'
import { isMeantForLoopback } from '../host/loopback.ts'
import type { Answer, AnswerParts } from './json-rpc-answer.ts'
import { answerBody, BODY_BYTES_MAX } from './json-rpc-answer.ts'
import { rpcError } from './json-rpc.ts'
import { acceptWebSocket } from './websocket.ts'

/** Longer than clients keep an idle connection, so that it is they who end it. */
const KEEP_ALIVE_MILLISECONDS = 65_000

export interface Gateway {
  readonly server: Server
  /** Ends every connection, WebSockets too. */
  close(): Promise<void>
}

/**
 * The one address of the EVM chain: JSON-RPC over HTTP and WebSocket at a port that stays while anvil comes and goes.
 */
export function createGateway(parts: AnswerParts & { readonly log: Log }): Gateway {
  const server = httpServer(
    async (request, response) => await handle(parts, request, response),
    parts.log,
  )
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS
  const webSockets = new Set<Duplex>()
  server.on('upgrade', (request, socket, head) => {
    webSockets.add(socket)
    socket.once('close', () => webSockets.delete(socket))
    acceptWebSocket(parts, request, socket, head)
  })
  const close = async (): Promise<void> => {
    // The server forgets a connection once it is upgraded, and would wait for its end for ever.
    for (const socket of webSockets) socket.destroy()
    await closeServer(server)
  }
  return { server, close }
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
  if (request.method !== 'POST') return sendJson(response, 405, { error: 'POST a JSON-RPC call' })
  const body = await readBody(request, BODY_BYTES_MAX)
  if (body === undefined) {
    return sendJson(response, 413, { error: `a body has at most ${BODY_BYTES_MAX} bytes` })
  }
  send(await answerBody(parts, body), response)
}

function send(answer: Answer, response: ServerResponse): void {
  switch (answer.kind) {
    case 'json':
      return sendJson(response, 200, answer.json)
    case 'bytes': {
      const { bytes } = answer
      if (response.destroyed) return
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': bytes.length,
      })
      response.end(bytes)
      return
    }
    case 'unreachable': {
      const error = { code: -32_000, message: 'the sandbox node is restarting' }
      return sendJson(response, 503, rpcError(null, error))
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
