import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { limits } from '../kernel/limits.ts'

/** How a WebSocket was closed, by us. Below 4000: RFC 6455, 7.4.1; above: ours. */
export type CloseCode = 1003 | 1008 | 1009 | 1012 | 4401 | 4408 | 4429

/** One open WebSocket. Nothing above this room sees the library. */
export interface SocketConnection {
  /** One text message. Nothing happens when it is closing. */
  send(text: string): void
  /** What `textFrame` made, as it is: the same bytes for every socket. False once the socket takes nothing any more. */
  sendFrame(frame: Buffer): boolean
  /** Gathers the frames that are sent until `work` returns into one write. */
  together(work: () => void): void
  /** Bytes that wait in this process for the reader. */
  readonly waitingBytes: number
  ping(): void
  /** Answers a ping with what it carried. */
  pong(data: Buffer): void
  /** Says why, and ends the connection when the other side has answered, or after limits.socketCloseSeconds. */
  close(code: CloseCode, reason: string): void
  /** Ends the connection at once. */
  destroy(): void
  /** Takes the reader's side; called once. */
  attend(reader: SocketReader): void
}

/** What a socket tells its reader. None of these may throw. */
export interface SocketReader {
  onText(text: string): void
  /** How long a message may be now; a longer one, or the beginning of one, ends the connection. */
  messageBytesMax(): number
  /** Nothing is answered unless the reader does. */
  onPing(data: Buffer): void
  onPong(): void
  /** The bytes that waited have gone out. */
  onDrain(): void
  onClosed(): void
}

/** Opens WebSockets on upgraded connections: no compression, messages of limits.bodyBytesMax at most, text only. */
export function openWebSockets(): (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  opened: (connection: SocketConnection) => void,
) => void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.bodyBytesMax,
    // An answer to every ping would let whoever sends without reading fill our memory.
    autoPong: false,
  })
  return (request, socket, head, opened) => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      opened(connectionOf(webSocket, socket))
    })
  }
}

/** Before the data of a frame. Source: RFC 6455, 5.2. */
const HEAD_BYTES_MAX = 14

function connectionOf(webSocket: WebSocket, socket: Duplex): SocketConnection {
  // The library closes by itself after what it refuses to read; the error says nothing new.
  webSocket.on('error', () => undefined)
  const isOpen = () => webSocket.readyState === webSocket.OPEN
  const connection: SocketConnection = {
    send: (text) => {
      if (isOpen()) webSocket.send(text)
    },
    sendFrame: (frame) => {
      if (!isOpen() || !socket.writable) return false
      // Safe beside the library's own writes: without compression it writes each frame whole and at once.
      socket.write(frame)
      return true
    },
    together: (work) => {
      socket.cork()
      try {
        work()
      } finally {
        socket.uncork()
      }
    },
    get waitingBytes() {
      return socket.writableLength
    },
    ping: () => {
      if (isOpen()) webSocket.ping()
    },
    pong: (data) => {
      if (isOpen()) webSocket.pong(data)
    },
    close: (code, reason) => {
      if (!isOpen()) return
      webSocket.close(code, reason)
      const end = setTimeout(() => webSocket.terminate(), limits.socketCloseSeconds * 1000)
      webSocket.once('close', () => clearTimeout(end))
    },
    destroy: () => webSocket.terminate(),
    attend: (reader) => {
      /** Bytes that came since something whole did. The library bounds what begins by limits.bodyBytesMax alone. */
      let begun = 0
      let isWhole = false
      webSocket.on('message', (data, isBinary) => {
        isWhole = true
        const text = textOf(data)
        if (isBinary) connection.close(1003, 'text messages only')
        else if (Buffer.byteLength(text) > reader.messageBytesMax()) {
          connection.close(1009, 'a message is too long')
        } else if (isOpen()) reader.onText(text)
      })
      webSocket.on('ping', (data) => {
        isWhole = true
        if (isOpen()) reader.onPing(data)
      })
      webSocket.on('pong', () => {
        isWhole = true
        reader.onPong()
      })
      // After the library, which reads a message out of what came before this sees it.
      socket.on('data', ({ length }: Buffer) => {
        begun = isWhole ? 0 : begun + length
        isWhole = false
        const max = reader.messageBytesMax()
        if (max < limits.bodyBytesMax && begun > max + HEAD_BYTES_MAX) connection.destroy()
      })
      webSocket.once('close', () => reader.onClosed())
      socket.on('drain', () => reader.onDrain())
      if (webSocket.readyState === webSocket.CLOSED) reader.onClosed()
    },
  }
  return connection
}

function textOf(data: Buffer | ArrayBuffer | readonly Buffer[]): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8')
  return data instanceof ArrayBuffer
    ? Buffer.from(data).toString('utf8')
    : Buffer.concat(data).toString('utf8')
}

const SHORT_MAX = 125
const MEDIUM_MAX = 0xffff
/** The whole message in one frame of text. Source: RFC 6455, 5.2. */
const FINAL_TEXT = 0x81

/** A text message as its bytes on the wire: a server's frames are not masked, so they are the same for everybody. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  const headBytes = bytes <= SHORT_MAX ? 2 : bytes <= MEDIUM_MAX ? 4 : 10
  const frame = Buffer.allocUnsafe(headBytes + bytes)
  frame[0] = FINAL_TEXT
  if (bytes <= SHORT_MAX) frame[1] = bytes
  else if (bytes <= MEDIUM_MAX) {
    frame[1] = 126
    frame.writeUInt16BE(bytes, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(bytes), 2)
  }
  frame.write(text, headBytes)
  return frame
}
