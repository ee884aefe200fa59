import type { Clock } from '../../../kernel/clock.ts'
import { limits } from '../../../kernel/limits.ts'
import type { Secret } from '../../../kernel/secret.ts'
import { NodeFailure } from '../../chain.ts'
import { isObject } from '../../json-rpc/answer.ts'
import type { Fields } from '../../json-rpc/answer.ts'
import { openNodeUrl } from '../../json-rpc/node-url.ts'

/** What a market's own service said. Nothing of it is believed for being said. */
export interface ServiceAnswer {
  readonly status: number
  readonly body: Fields
}

/** A maker or a router that an operator has named. */
export interface MarketService {
  /** `path` follows the configured address. Throws NodeFailure when no JSON object came back in time and in bounds. */
  get(path: string): Promise<ServiceAnswer>
  post(path: string, body: Fields): Promise<ServiceAnswer>
}

export interface MarketServiceOptions {
  /** May hold a key; printed nowhere. */
  readonly url: Secret
  /** How failures call it. */
  readonly name: string
  readonly clock: Clock
  readonly fetch: typeof fetch
  readonly headers?: Readonly<Record<string, string>>
}

/** Speaks with a market's service: redirects are failures, and so is whatever is slow or long. */
export function openMarketService(options: MarketServiceOptions): MarketService {
  const { name, clock } = options
  const opened = openNodeUrl(options.url)
  const headers = { ...opened.headers, ...options.headers }

  async function ask(path: string, rest: { method: string; body?: string }) {
    const finished = new AbortController()
    const expired = new AbortController()
    const timer = clock
      .sleep(limits.marketAnswerSeconds * 1000, finished.signal)
      .then(() => (finished.signal.aborted ? undefined : expired.abort()))
    try {
      const response = await options.fetch(urlOf(opened.url, path), {
        ...rest,
        headers,
        signal: expired.signal,
        redirect: 'error',
      })
      return { status: response.status, body: await objectOf(response) }
    } catch (error) {
      if (error instanceof NodeFailure) throw new NodeFailure(`${name}: ${error.message}`)
      // The error's own text may hold the URL.
      throw new NodeFailure(`${name} ${expired.signal.aborted ? 'is too slow' : 'cannot be asked'}`)
    } finally {
      finished.abort()
      await timer
    }
  }

  return {
    get: (path) => ask(path, { method: 'GET' }),
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

function urlOf(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}${path}`
}

async function objectOf(response: Response): Promise<Fields> {
  const body: AsyncIterable<Uint8Array> | null = response.body
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > limits.marketAnswerBytesMax) throw new NodeFailure('it says too much')
    pieces.push(piece)
  }
  const value = parsed(Buffer.concat(pieces).toString('utf8'))
  if (!isObject(value)) throw new NodeFailure('its answer is no JSON object')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
