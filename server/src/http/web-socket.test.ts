import { createServer } from 'node:http'
import { connect, Socket } from 'node:net'
import { onTestFinished, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { until } from '../kernel/until.ts'
import { openWebSockets, textFrame } from './web-socket.ts'
import type { SocketConnection } from './web-socket.ts'

const SOON = { seconds: 60 }
const ASK = [
  'GET / HTTP/1.1',
  'host: x',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

/** A server's side of one WebSocket, and the client's bare connection. */
async function openOne() {
  const open = openWebSockets()
  const server = createServer()
  const opened = Promise.withResolvers<SocketConnection>()
  server.on('upgrade', (request, socket, head) => {
    const refused = (reason: string) => opened.reject(new Error(reason))
    open(request, socket, head, { headers: {}, opened: opened.resolve, refused })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  client.on('error', () => undefined)
  client.write(ASK)
  const connection = await opened.promise
  connection.attend({
    onText: () => undefined,
    messageBytesMax: () => Infinity,
    onPing: () => undefined,
    onPong: () => undefined,
    onDrain: () => undefined,
    onClosed: () => undefined,
  })
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  return { client, connection }
}

test('no frame follows the closing of a socket that was refused while its reader was slow', async () => {
  const { client, connection } = await openOne()
  client.pause()
  const large = textFrame('x'.repeat(60_000))
  await until(
    'bytes are held back',
    () => {
      connection.sendFrame(large)
      return connection.waitingBytes > 1_000_000
    },
    SOON,
  )
  // An opcode that there is not.
  client.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0]))
  const small = textFrame('late')
  await until('it takes nothing any more', () => !connection.sendFrame(small), SOON)
  const read: Buffer[] = []
  client.on('data', (data: Buffer) => void read.push(data))
  client.resume()
  const closing = Buffer.from([0x88, 0x02, 0x03, 0xea])
  await until('the closing is read', () => Buffer.concat(read).includes(closing), SOON)
  const bytes = Buffer.concat(read)
  expect(bytes.subarray(bytes.indexOf(closing) + closing.length).length).toBe(0)
})

test('a socket that is given no more since too much waits says when that has gone out', () => {
  // A stream says so only of what had reached its mark.
  expect(limits.socketAheadBytes).toBeGreaterThanOrEqual(new Socket().writableHighWaterMark)
})
