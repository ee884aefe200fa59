import type { Clock } from '../../kernel/clock.ts'
import type { Secret } from '../../kernel/secret.ts'
import { NodeFailure } from '../chain.ts'
import { isObject } from './answer.ts'
import { readAnswers, writeCalls } from './messages.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'
import { openNodeUrl } from './node-url.ts'

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

/** Opens a JSON-RPC endpoint over HTTP. Nothing is sent before the first `post`. */
export function openEndpoint(options: EndpointOptions): Endpoint {
  const { name, clock, callSeconds } = options
  const { url, headers, scrub } = openNodeUrl(options.url)

  async function post(calls: readonly NodeCall[]): Promise<readonly (NodeAnswer | NodeFailure)[]> {
    const finished = new AbortController()
    const expired = new AbortController()
    const timer = clock.sleep(callSeconds * 1000, finished.signal).then(() => {
      if (!finished.signal.aborted) expired.abort()
    })
    try {
      return readAnswers(await exchange(writeCalls(calls), expired.signal), calls.length, scrub)
    } catch (error) {
      if (expired.signal.aborted) throw new NodeTimeout(`${name}: no answer in time`)
      if (error instanceof NodeFailure) throw new NodeFailure(`${name}: ${error.message}`)
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
      throw new NodeFailure(`the node answered HTTP ${response.status}`)
    }
    return await readBounded(response, options.responseBytesMax)
  }

  return { post }
}

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > bytesMax) throw new NodeFailure('the node answered too many bytes')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = isObject(cause) ? cause['code'] : undefined
  return typeof code === 'string' ? code : 'no connection'
}
