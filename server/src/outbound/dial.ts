import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { LookupFunction, TcpNetConnectOpts } from 'node:net'
import { rootCertificates } from 'node:tls'
import { limits } from '../kernel/limits.ts'
import { COOKIES_APART } from './cookies-apart.ts'
import type { OutboundOutcome, OutboundRequest } from './outbound.ts'
import type { Target } from './target.ts'

export type DialFailure =
  'timeout' | 'given_up' | 'not_connected' | 'broken_answer' | 'header_too_long' | 'body_too_long'

/** How long one of several addresses may take to accept a connection before the next is tried. */
const CONNECT_MILLISECONDS = 2_000

/** What only this file decides, and what would speak about the connection instead of the request. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
])

/** One request over one new connection to addresses that were vetted; no name is looked up here. */
export async function dial(
  target: Target,
  addresses: readonly string[],
  request: OutboundRequest,
  over: AbortSignal,
  authorities: readonly string[] = [],
): Promise<OutboundOutcome> {
  if (Object.keys(request.headers ?? {}).some((name) => OWN_HEADERS.has(name.toLowerCase()))) {
    return { kind: 'refused', reason: 'header_not_allowed' }
  }
  if (over.aborted) return { kind: 'failed', reason: 'timeout', mayHaveArrived: false }
  const options = optionsFor(target, addresses, request)
  // Agents of our own: the shared ones keep connections open and may follow the environment to a proxy.
  const agent = target.isEncrypted ? new HttpsAgent(AGENT) : new HttpAgent(AGENT)
  let sent: ClientRequest
  try {
    sent = target.isEncrypted
      ? httpsRequest({ ...options, ...tlsOptions(target, authorities), agent })
      : httpRequest({ ...options, agent })
  } catch {
    // The library's word about a header's name or value; nothing was dialled.
    return { kind: 'refused', reason: 'header_not_allowed' }
  }
  try {
    return await answerTo(sent, target, request, over)
  } finally {
    sent.destroy()
    agent.destroy()
  }
}

const AGENT = { keepAlive: false, maxCachedSessions: 0 }

function optionsFor(
  { url, host, isLiteral, port }: Target,
  addresses: readonly string[],
  { method, headers = {}, body }: OutboundRequest,
): RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'> {
  return {
    host,
    port,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
      ...(body === undefined ? {} : { 'content-length': `${body.byteLength}` }),
    },
    setHost: false,
    maxHeaderSize: limits.outboundHeaderBytesMax,
    insecureHTTPParser: false,
    ...(isLiteral ? {} : { lookup: answering(addresses) }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_MILLISECONDS,
  }
}

function tlsOptions({ host, isLiteral }: Target, authorities: readonly string[]) {
  return {
    // Said here, so that no variable of the environment can switch it off.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2' as const,
    servername: isLiteral ? '' : host,
    ...(authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] }),
  }
}

/** In place of a name server: the vetted addresses, whatever is asked. */
function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, callback) => {
    const [first] = found
    if (first === undefined) return callback(new Error('no address'), '')
    if (all === true) return callback(null, found)
    callback(null, first.address, first.family)
  }
}

async function answerTo(
  sent: ClientRequest,
  target: Target,
  { method, body, bodyBytesMax }: OutboundRequest,
  over: AbortSignal,
): Promise<OutboundOutcome> {
  let mayHaveArrived = false
  let isReading = false
  return new Promise<OutboundOutcome>((resolved) => {
    const resolve = (outcome: OutboundOutcome) => {
      over.removeEventListener('abort', late)
      resolved(outcome)
    }
    const fail = (reason: DialFailure) => resolve({ kind: 'failed', reason, mayHaveArrived })
    const late = () => fail('timeout')
    over.addEventListener('abort', late, { once: true })
    sent.once('socket', (socket) => {
      socket.once(target.isEncrypted ? 'secureConnect' : 'connect', () => {
        mayHaveArrived = true
      })
    })
    // Not once: tearing a connection down may report more than one error.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'HPE_HEADER_OVERFLOW') fail('header_too_long')
      else fail(mayHaveArrived ? 'broken_answer' : 'not_connected')
    })
    // Nobody asked for another protocol. Without a listener the connection would be gone without a word.
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy()
      fail('broken_answer')
    })
    let interim = 0
    sent.on('information', () => {
      interim += 1
      if (interim <= limits.outboundInterimMax) return
      fail('broken_answer')
      sent.destroy()
    })
    // The last word, whatever was said before: a promise that nobody keeps would hold its place for ever.
    sent.once('close', () => {
      if (!isReading) fail('broken_answer')
    })
    sent.once('response', (answer) => {
      isReading = true
      const head = { status: answer.statusCode ?? 0, headers: headersOf(answer) }
      const tooLong = () =>
        resolve({ kind: 'failed', reason: 'body_too_long', mayHaveArrived, head })
      if (method !== 'HEAD' && lengthSaid(answer) > bodyBytesMax) {
        tooLong()
        return
      }
      read(answer, bodyBytesMax).then(
        (bytes) =>
          bytes === undefined ? tooLong() : resolve({ kind: 'answered', ...head, body: bytes }),
        () => fail('broken_answer'),
      )
    })
    sent.end(body)
  })
}

/** How long the body is said to be; 0 where nothing is said, or there is none. */
function lengthSaid({ statusCode, headers }: IncomingMessage): number {
  const isBodiless = statusCode === 204 || statusCode === 304
  return isBodiless ? 0 : Number(headers['content-length'] ?? 0)
}

/** The whole body, or undefined when it is longer than allowed or comes in more pieces: then nothing more of it is read. */
function read(answer: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error('the body has no end'))
    // Not as an iterator, which gives many pieces as one: each is paid for.
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > bytesMax || chunks.length >= limits.outboundPiecesMax) {
        answer.destroy()
        resolve(undefined)
        return
      }
      // What a piece came in is many times as long as it may be.
      chunks.push(Buffer.from(chunk))
    })
    answer.once('end', () => resolve(Buffer.concat(chunks)))
    answer.on('error', end)
    answer.once('close', end)
  })
}

function headersOf({ headersDistinct }: IncomingMessage): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(headersDistinct).map(([name, values]) => [
      name,
      (values ?? []).join(name === 'set-cookie' ? COOKIES_APART : ', '),
    ]),
  )
}
