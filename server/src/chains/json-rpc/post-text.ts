import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { createGunzip } from 'node:zlib'
import { limits } from '../../kernel/limits.ts'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong } from './answer-too-long.ts'

/** A text that is posted to a node. */
export interface Posting {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Of the answer, unpacked. */
  readonly responseBytesMax: number
}

/** What came back, whatever its status. Redirections are not followed. */
export interface Posted {
  readonly status: number
  /** Of an error only what is short, and nothing where it leads elsewhere: nobody reads that. */
  readonly text: string
}

/** A request that is under way. */
export interface PostUnderWay {
  /** Rejects with AnswerTooLong for one that is too long, with NodeFailure for one that broke off, and with what Node says of a lost connection. */
  readonly answer: Promise<Posted>
  /** Gives it up: the answer rejects, unless it is there. */
  abandon(): void
}

/** The HTTP client of a node's door. */
export type PostText = (posting: Posting) => PostUnderWay

/** Connections to one node that are kept open while nobody uses them, and for how long: shorter than nodes and their proxies do. */
const KEPT = { keepAlive: true, maxFreeSockets: 16, timeout: 4_000 } as const
const AGENTS = { http: new HttpAgent(KEPT), https: new HttpsAgent(KEPT) } as const

/**
 * Posts over connections that stay open. Node's own client rather than `fetch`, which took 0.15 ms of CPU more for each request when the two
 * were measured (loopback, 2 cores): an instance that follows two quick chains asks a hundred times a second. Nothing is asked twice here,
 * whoever asks knows what may be repeated, but for one thing: a connection that nobody used for long is closed by the node at any moment,
 * also at the one at which it is used again. What we ask may all be asked twice.
 */
export const postText: PostText = (posting) => {
  const over = Promise.withResolvers<never>()
  let current: ClientRequest | undefined
  let isOver = false
  const attempt = async (): Promise<Posted> => {
    const response = await send(posting, (request) => (current = request))
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return { status, text: await textOf(response, posting) }
    const responseBytesMax = Math.min(posting.responseBytesMax, limits.nodeErrorBytesMax)
    const isError = status >= 400
    const text = isError
      ? await textOf(response, { ...posting, responseBytesMax }).catch(() => '')
      : ''
    response.destroy()
    return { status, text }
  }
  const answer = attempt().catch((error: unknown) => {
    if (!isOver && current !== undefined && wasStale(current) && isReset(error)) return attempt()
    throw error
  })
  return {
    answer: Promise.race([answer, over.promise]),
    abandon: () => {
      isOver = true
      over.reject(new NodeFailure('no answer in time'))
      current?.destroy()
    },
  }
}

/** Shorter than any node waits before it closes a connection. */
const STALE_MILLISECONDS = 3_000
const usedAt = new WeakMap<Socket, number>()

/** Whether the connection of a request had not been used for long before it. */
function wasStale({ reusedSocket, socket }: ClientRequest): boolean {
  const at = socket === null ? undefined : usedAt.get(socket)
  return reusedSocket && at !== undefined && performance.now() - at >= STALE_MILLISECONDS
}

function isReset(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNRESET' || code === 'EPIPE'
}

/** Where addresses lead that were posted to, so that none is taken apart for every request; as many as a service has nodes, and more. */
const targets = new Map<string, RequestOptions>()
const TARGETS_MAX = 256

function targetOf(url: string): RequestOptions {
  const known = targets.get(url)
  if (known !== undefined) return known
  if (targets.size >= TARGETS_MAX) targets.clear()
  const target = { ...urlToHttpOptions(new URL(url)), method: 'POST' }
  targets.set(url, target)
  return target
}

function send(
  { url, headers, body }: Posting,
  onRequest: (request: ClientRequest) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const own = {
      ...headers,
      accept: 'application/json',
      'accept-encoding': 'gzip',
      // Fronts of public nodes turn away who names itself not at all.
      'user-agent': 'Florin',
      'content-length': String(Buffer.byteLength(body)),
    }
    const target = targetOf(url)
    const request =
      target.protocol === 'https:'
        ? requestHttps({ ...target, agent: AGENTS.https, headers: own }, resolve)
        : requestHttp({ ...target, agent: AGENTS.http, headers: own }, resolve)
    onRequest(request)
    request.on('error', reject)
    request.end(body)
  })
}

/** By its events: an iterator over the same takes 0.04 ms of CPU more for each answer. */
async function textOf(response: IncomingMessage, { responseBytesMax }: Posting): Promise<string> {
  // Asked for now: once all is read, the response has no connection any more.
  const { socket } = response
  const answer = unpacked(response)
  const read = Promise.withResolvers<string>()
  const pieces: Buffer[] = []
  let bytes = 0
  answer.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > responseBytesMax) {
      read.reject(new AnswerTooLong('the node answered too many bytes'))
      answer.destroy()
    } else pieces.push(piece)
  })
  answer.on('end', () => {
    usedAt.set(socket, performance.now())
    read.resolve(Buffer.concat(pieces).toString('utf8'))
  })
  answer.on('error', read.reject)
  answer.on('close', () => {
    if (!answer.readableEnded) read.reject(new NodeFailure('the node broke its answer off'))
  })
  return read.promise
}

/** Blocks of Solana are three to five times as long when they are not packed. */
function unpacked(response: IncomingMessage): Readable {
  const { 'content-encoding': encoding = 'identity' } = response.headers
  if (encoding === 'identity') return response
  if (encoding === 'gzip') {
    return pipeline(response, createGunzip(), () => undefined)
  }
  response.destroy()
  throw new NodeFailure('the node packed its answer in a way that was not asked for')
}
