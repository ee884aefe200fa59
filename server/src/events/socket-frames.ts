import type { SocketConnection } from '../http/web-socket.ts'
import type { ReaderForm } from './reader.ts'

/** Events as WebSocket messages: each framed once, the same bytes for every socket. */
export const FRAMES: ReaderForm<SocketConnection> = {
  send: (connection, { frame }) => connection.sendFrame(frame),
  sendMarket: (connection, { frame }) => (connection.sendFrame(frame) ? frame.length : 0),
  bytesOf: ({ frame }) => frame.length,
  together: (connection, work) => connection.together(work),
}
