import { connect } from 'node:net'
import { once } from 'node:events'

/** An answer as far as a load needs it. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** One kept-alive connection; one request at a time. */
export interface Connection {
  ask(request: Buffer): Promise<Answer>
  end(): void
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i

/**
 * HTTP/1.1 with as little work as possible, so that two cores are left to what is measured: whole answers with a
 * Content-Length only, which is what the service gives.
 */
export async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const headEnd = received.indexOf(HEAD_END)
    if (headEnd < 0) return
    const length = LENGTH.exec(received)?.[1]
    if (length === undefined) {
      socket.destroy(new Error('an answer without a length'))
      return
    }
    const start = headEnd + HEAD_END.length
    if (received.length < start + Number(length)) return
    const answer = { status: Number(received.slice(9, 12)), body: received.slice(start) }
    received = ''
    const told = waiting
    waiting = undefined
    told?.resolve(answer)
  })
  const fail = (error: Error) => waiting?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the service closed the connection')))
  return {
    ask: (request) => {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    end: () => socket.destroy(),
  }
}

/** The bytes of a request. */
export function requestBytes(
  host: string,
  apiKey: string,
  { method, path, body }: { method: string; path: string; body?: string },
): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${apiKey}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}${HEAD_END}${body ?? ''}`)
}
