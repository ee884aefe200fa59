import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { limits } from '../kernel/limits.ts'
import { descriptorOf, writeDirectly } from './write-directly.ts'

/** How a WebSocket was closed, by us. Below 4000: RFC 6455, 7.4.1; above: ours. */
export type CloseCode = 1003 | 1009 | 1012 | 4401 | 4408 | 4429

/** One open WebSocket. Nothing above this room sees the library. */
export interface SocketConnection {
  /** One text message. Nothing happens when it is closing. */
  send(text: string): void
  /** What `textFrame` made, as it is: the same bytes for every socket. False once it is known that the socket takes nothing any more. */
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

/** What becomes of a handshake: one of the two is called, at once. */
export interface Handshake {
  /** Beside those that the protocol asks for, when it opens. */
  readonly headers: Readonly<Record<string, string>>
  opened(connection: SocketConnection): void
  /** Nothing was answered, and the socket is still open. `reason` is a sentence of the library. */
  refused(reason: string): void
}

/** Opens WebSockets on upgraded connections: no compression, messages of limits.bodyBytesMax at most, text only. */
export function openWebSockets(): (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  handshake: Handshake,
) => void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.bodyBytesMax,
    // An answer to every ping would let whoever sends without reading fill our memory.
    autoPong: false,
  })
  return (request, socket, head, { headers, opened, refused }) => {
    const tell = (lines: string[]) => {
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    }
    const refuse = ({ message }: Error) => refused(message)
    // All of a handshake happens before this returns.
    server.once('headers', tell).once('wsClientError', refuse)
    server.handleUpgrade(request, socket, head, (webSocket) => {
      opened(new OpenSocket(webSocket, socket))
    })
    server.off('headers', tell).off('wsClientError', refuse)
  }
}

/** Before the data of a frame. Source: RFC 6455, 5.2. */
const HEAD_BYTES_MAX = 14

/** One object for all of it: an event goes to thousands of these, and each object more is a cache miss more. */
class OpenSocket implements SocketConnection {
  readonly #webSocket: WebSocket
  readonly #socket: Duplex
  readonly #descriptor: number | undefined
  /** What the library says of it, as of the last thing that could change it: asking there costs three cache misses for each frame. */
  #takesFrames = true

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#descriptor = descriptorOf(socket)
    // The library closes by itself after what it refuses to read; the error says nothing new.
    webSocket.on('error', () => this.#look())
    // Each after the library's own listener, which has drawn its conclusions by then.
    for (const event of ['data', 'end', 'error', 'close']) socket.on(event, () => this.#look())
  }

  #look(): void {
    this.#takesFrames = this.#isOpen
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN
  }

  send(text: string): void {
    if (this.#isOpen) this.#webSocket.send(text)
  }

  sendFrame(frame: Buffer): boolean {
    if (!this.#takesFrames) return false
    // Safe beside the library's own writes: without compression it writes each frame whole and at once.
    writeDirectly(this.#socket, this.#descriptor, frame)
    return true
  }

  together(work: () => void): void {
    this.#socket.cork()
    try {
      work()
    } finally {
      this.#socket.uncork()
    }
  }

  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  ping(): void {
    if (this.#isOpen) this.#webSocket.ping()
  }

  pong(data: Buffer): void {
    if (this.#isOpen) this.#webSocket.pong(data)
  }

  close(code: CloseCode, reason: string): void {
    if (!this.#isOpen) return
    const webSocket = this.#webSocket
    webSocket.close(code, reason)
    this.#look()
    const end = setTimeout(() => webSocket.terminate(), limits.socketCloseSeconds * 1000)
    webSocket.once('close', () => clearTimeout(end))
  }

  destroy(): void {
    this.#webSocket.terminate()
    this.#look()
  }

  attend(reader: SocketReader): void {
    const [webSocket, socket] = [this.#webSocket, this.#socket]
    /** Bytes that came since something whole did. The library bounds what begins by limits.bodyBytesMax alone. */
    let begun = 0
    let isWhole = false
    webSocket.on('message', (data, isBinary) => {
      isWhole = true
      const text = textOf(data)
      if (isBinary) this.close(1003, 'text messages only')
      else if (Buffer.byteLength(text) > reader.messageBytesMax()) {
        this.close(1009, 'a message is too long')
      } else if (this.#isOpen) reader.onText(text)
    })
    webSocket.on('ping', (data) => {
      isWhole = true
      if (this.#isOpen) reader.onPing(data)
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
      if (max < limits.bodyBytesMax && begun > max + HEAD_BYTES_MAX) this.destroy()
    })
    webSocket.once('close', () => reader.onClosed())
    socket.on('drain', () => reader.onDrain())
    if (webSocket.readyState === webSocket.CLOSED) reader.onClosed()
  }
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
