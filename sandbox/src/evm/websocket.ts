import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log } from '../host/log.ts'
import { isMeantForLoopback } from '../host/loopback.ts'
import type { Answer, AnswerParts } from './json-rpc-answer.ts'
import { answerBody, BODY_BYTES_MAX } from './json-rpc-answer.ts'
import { rpcError } from './json-rpc.ts'
import type { AnvilProcess } from './anvil-process.ts'
import { clientText, createFrameReader, OPCODE, serverText } from './websocket-frame.ts'
import type { Frame } from './websocket-frame.ts'

const HEAD_BYTES_MAX = 16_384
const CALLS_UNDER_WAY_MAX = 1_000
const SUBSCRIPTION = /"eth_(un)?subscribe"/

/**
 * Joins a WebSocket to anvil. Subscriptions travel through the joint as they are; every other message is answered like
 * an HTTP body, so both ways in have one meaning, faults and finality included.
 */
export function acceptWebSocket(
  parts: AnswerParts & { readonly log: Log },
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  const anvil = runningOf(parts)
  if (anvil === undefined || parts.faults?.down() !== undefined || !isMeantForLoopback(request)) {
    client.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
    return
  }
  const node = connect(anvil.port, '127.0.0.1')
  const end = (): void => {
    client.destroy()
    node.destroy()
  }
  for (const side of [client, node]) side.on('error', end).on('close', end)

  const fromNode = createFrameReader(Number.MAX_SAFE_INTEGER)
  const fromClient = createFrameReader(BODY_BYTES_MAX)
  const message = createMessageReader()
  /** Answers of ours wait here while a message of anvil's is half written. */
  let waiting: Buffer[] = []
  let isBetweenMessages = true
  let underWay = 0

  const write = (bytes: Buffer): void => {
    if (isBetweenMessages) client.write(bytes)
    else waiting.push(bytes)
  }
  const answer = async (body: Buffer): Promise<void> => {
    underWay += 1
    const bytes = textOf(await answerBody(parts, body))
    underWay -= 1
    if (bytes === 'end') end()
    else if (bytes !== undefined) write(serverText(bytes))
  }
  const received = (frame: Frame): void => {
    const body = message(frame)
    if (body === 'forward') node.write(frame.source)
    else if (body === 'too-large' || underWay >= CALLS_UNDER_WAY_MAX) end()
    else if (body !== undefined && SUBSCRIPTION.test(body.toString('utf8'))) {
      node.write(clientText(body))
    } else if (body !== undefined) {
      answer(body).catch((error: unknown) => {
        parts.log(`a WebSocket call failed: ${error instanceof Error ? error.message : 'unknown'}`)
        end()
      })
    }
  }

  client.on('data', (bytes: Buffer) => {
    const frames = fromClient.take(bytes)
    if (frames === 'too-large') end()
    else for (const frame of frames) received(frame)
  })
  afterHandshake(node, client, end, (bytes) => {
    const frames = fromNode.take(bytes)
    if (frames === 'too-large') return end()
    for (const frame of frames) {
      client.write(frame.source)
      if (frame.opcode <= OPCODE.binary) isBetweenMessages = frame.isLast
      if (!isBetweenMessages) continue
      for (const own of waiting) client.write(own)
      waiting = []
    }
  })
  node.once('connect', () => {
    node.write(requestHead(request))
    if (head.length > 0) client.unshift(head)
  })
}

function runningOf({ node }: AnswerParts): AnvilProcess | undefined {
  return node.pid() === null ? undefined : node.running()
}

/** Puts fragments together. Control frames, and binary ones, are anvil's own business. */
function createMessageReader(): (frame: Frame) => Buffer | 'forward' | 'too-large' | undefined {
  let parts: Buffer[] | undefined
  return (frame) => {
    if (frame.opcode === OPCODE.text) parts = []
    else if (frame.opcode !== OPCODE.continuation || parts === undefined) return 'forward'
    parts.push(frame.payload)
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    if (size > BODY_BYTES_MAX) return 'too-large'
    if (!frame.isLast) return undefined
    const whole = Buffer.concat(parts)
    parts = undefined
    return whole
  }
}

/** Passes anvil's HTTP answer on as it is and hands over what follows it. */
function afterHandshake(
  node: Duplex,
  client: Duplex,
  end: () => void,
  framesCame: (bytes: Buffer) => void,
): void {
  let head: Buffer | undefined = Buffer.alloc(0)
  node.on('data', (bytes: Buffer) => {
    if (head === undefined) return framesCame(bytes)
    head = Buffer.concat([head, bytes])
    const length = head.indexOf('\r\n\r\n') + 4
    if (length < 4) {
      if (head.length > HEAD_BYTES_MAX) end()
      return
    }
    client.write(head.subarray(0, length))
    const rest = head.subarray(length)
    head = undefined
    if (rest.length > 0) framesCame(rest)
  })
}

/** The client's handshake without its extensions: compressed frames could not be read here. */
function requestHead({ rawHeaders, url }: IncomingMessage): string {
  const lines = [`GET ${url ?? '/'} HTTP/1.1`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.toLowerCase() !== 'sec-websocket-extensions')
      lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

function textOf(answer: Answer): Buffer | 'end' | undefined {
  switch (answer.kind) {
    case 'json':
      return Buffer.from(JSON.stringify(answer.json))
    case 'bytes':
      return answer.bytes
    case 'unreachable':
      return Buffer.from(
        JSON.stringify(
          rpcError(null, { code: -32_000, message: 'the sandbox node is restarting' }),
        ),
      )
    case 'http-500':
    case 'connection-reset':
      return 'end'
    case 'hang':
      return undefined
    default:
      return answer satisfies never
  }
}
