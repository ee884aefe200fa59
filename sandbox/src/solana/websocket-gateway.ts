import type { Server } from 'node:http'
import { WebSocketServer } from 'ws'
import type { RawData, WebSocket } from 'ws'
import { isMeantForLoopback } from '../host/loopback.ts'
import type { AnswerParts } from './rpc/answer.ts'
import { BODY_BYTES_MAX } from './rpc/answer.ts'
import type { Hub } from './subscriptions/hub.ts'
import { openSession } from './subscriptions/session.ts'

const SOCKETS_MAX = 1_000
/** A client that does not read is cut off before it fills our memory. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024

/** Takes WebSockets at every server given. The returned function ends all of them. */
export function acceptWebSockets(
  servers: readonly Server[],
  parts: AnswerParts,
  hub: Hub,
): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: BODY_BYTES_MAX })
  sockets.on('connection', (socket: WebSocket) => {
    const session = openSession(parts, hub, {
      send(text) {
        if (socket.bufferedAmount > UNREAD_BYTES_MAX) socket.terminate()
        else socket.send(text, () => undefined)
      },
      end: () => socket.terminate(),
    })
    socket.on('message', (data) => session.received(bytesOf(data)))
    socket.on('close', session.close)
    socket.on('error', () => socket.terminate())
  })
  for (const server of servers) {
    server.on('upgrade', (request, socket, head) => {
      const isWelcome = isMeantForLoopback(request) && sockets.clients.size < SOCKETS_MAX
      if (!isWelcome || parts.faults?.down() !== undefined) {
        socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
        return
      }
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        sockets.emit('connection', accepted, request)
      })
    })
  }
  return () => {
    for (const socket of sockets.clients) socket.terminate()
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
