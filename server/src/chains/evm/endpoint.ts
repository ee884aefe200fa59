import type { Clock } from '../../kernel/clock.ts'
import type { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { isObject } from './answer.ts'

/** One JSON-RPC call. */
export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node said of one call: a result, or an error in its own words. */
export type NodeAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeError }

/** A JSON-RPC error. The text is the node's own and stays inside. */
export interface NodeError {
  readonly code: number
  readonly message: string
}

/** One node's door. */
export interface Endpoint {
  /**
   * One HTTP round trip: the answers in the order of the calls, a NodeFailure in place of one that is missing.
   * Throws NodeFailure when nothing usable came back in time; whether the node saw the calls is then unknown.
   */
  post(calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]>
}

export interface EndpointOptions {
  /** Where the node is; printed nowhere, because a provider's key is often part of it. */
  readonly url: Secret
  /** How failures call this node: its place in the configuration. */
  readonly name: string
  readonly clock: Clock
  readonly callSeconds: number
  readonly responseBytesMax: number
  readonly fetch: typeof fetch
}

/** The node gave no answer in time; asking it again at once is pointless. */
export class NodeTimeout extends NodeFailure {}

const ERROR_CHARACTERS_MAX = 300

/** Opens a JSON-RPC endpoint over HTTP. Nothing is sent before the first `post`. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { name, clock, callSeconds, responseBytesMax } = options
  const { url, headers, scrub } = addressOf(options.url)

  async function post(calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]> {
    const finished = new AbortController()
    const expired = new AbortController()
    const timer = clock.sleep(callSeconds * 1000, finished.signal).then(() => {
      if (!finished.signal.aborted) expired.abort()
    })
    try {
      const text = await exchange(bodyOf(calls), expired.signal)
      return answersFrom(text, calls.length)
    } catch (error) {
      if (expired.signal.aborted) throw new NodeTimeout(`${name} gave no answer in time`)
      if (error instanceof NodeFailure) throw error
      // The error's own text may hold the URL, so only its code goes on.
      throw new NodeFailure(`${name} cannot be reached: ${codeOf(error)}`)
    } finally {
      finished.abort()
      await timer
    }
  }

  async function exchange(body: string, signal: AbortSignal): Promise<string> {
    const response = await options.fetch(url, {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'error',
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new NodeFailure(`${name} answered HTTP ${response.status}`)
    }
    return readBounded(response)
  }

  async function readBounded(response: Response): Promise<string> {
    const pieces: Uint8Array[] = []
    let bytes = 0
    for await (const piece of response.body ?? []) {
      bytes += piece.length
      if (bytes > responseBytesMax) throw new NodeFailure(`${name} answered too many bytes`)
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString('utf8')
  }

  function answersFrom(text: string, count: number): readonly (NodeAnswer | NodeFailure)[] {
    const body = parseJson(text)
    const items = count === 1 && !Array.isArray(body) ? [body] : body
    if (!Array.isArray(items)) throw new NodeFailure(`${name} refused a batch: ${describe(body)}`)
    const answers = new Map<unknown, NodeAnswer>()
    for (const item of items) {
      const answer = answerFrom(item)
      if (isObject(item) && answer !== undefined) answers.set(item['id'], answer)
    }
    return Array.from(
      { length: count },
      (_, id) => answers.get(id) ?? new NodeFailure(`${name} left a call unanswered`),
    )
  }

  function parseJson(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw new NodeFailure(`${name} did not answer in JSON`)
    }
  }

  function answerFrom(item: unknown): NodeAnswer | undefined {
    if (!isObject(item)) return undefined
    const error = item['error']
    if (error === undefined || error === null) {
      return 'result' in item ? { ok: true, result: item['result'] } : undefined
    }
    const code = isObject(error) && typeof error['code'] === 'number' ? error['code'] : 0
    return { ok: false, error: { code, message: describe(item) } }
  }

  function describe(body: unknown): string {
    const error = isObject(body) ? body['error'] : undefined
    const message = isObject(error) ? error['message'] : error
    return typeof message === 'string' ? scrub(message).slice(0, ERROR_CHARACTERS_MAX) : 'no reason'
  }

  return { post }
}

function bodyOf(calls: readonly NodeCall[]): string {
  const items = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  // Some gateways take single calls only, so a batch of one is not sent as a batch.
  return JSON.stringify(items.length === 1 ? items[0] : items)
}

/** `fetch` refuses credentials inside a URL, so they become a header. `scrub` takes the URL's parts out of a text. */
function addressOf(secret: Secret): {
  url: string
  headers: Record<string, string>
  scrub: (text: string) => string
} {
  const url = new URL(secret.reveal())
  const { username, password } = url
  url.username = ''
  url.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization =
    credentials === ':'
      ? {}
      : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
  const parts = [username, password, url.hostname, ...url.pathname.split('/')]
    .concat([...url.searchParams.values()])
    .filter((part) => part.length >= SECRET_CHARACTERS_MIN)
  return {
    url: url.href,
    headers: { 'content-type': 'application/json', ...authorization },
    scrub: (text) => parts.reduce((clean, part) => clean.replaceAll(part, '[secret]'), text),
  }
}

/** A shorter part of a URL ("v3", "rpc") is no key, and taking it out would only garble the text. */
const SECRET_CHARACTERS_MIN = 6

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = isObject(cause) ? cause['code'] : undefined
  return typeof code === 'string' ? code : 'no connection'
}
