import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { OTHER } from './bounded.ts'

/** A request that is over, as the edge tells it. */
export interface AnsweredRequest {
  /** The operation's path with `{name}` for what varies; null when no operation was meant. */
  readonly route: string | null
  /** As it was sent: anything. */
  readonly method: string
  /** HTTP status; null when the client was gone before the answer was written. */
  readonly status: number | null
  readonly milliseconds: number
}

/** RFC 9110 and RFC 5789; what strangers invent is `other`. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])
/** What only a bug of ours is answered with. */
const BUG = '500'
const UNMATCHED = 'unmatched'
const GONE = 'gone'
/** Up to the longest wait that a caller may ask for. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** An operation that may be asked for. */
export interface Operation {
  readonly path: string
  readonly method: string
}

/** Counts requests by what was asked and what came of it. Every label is from a closed set. */
export function httpMetrics(
  registry: Registry,
  operations: readonly Operation[],
): (answered: AnsweredRequest) => void {
  const requests = new Counter({
    name: 'florin_http_requests_total',
    help: 'Requests that are over, by route, method and status.',
    labelNames: ['route', 'method', 'code'],
    registers: [registry],
  })
  // There before the first bug: a counter that begins with 1 has not grown for who watches how it grows.
  for (const { path, method } of operations) requests.inc({ route: path, method, code: BUG }, 0)
  const seconds = new Histogram({
    name: 'florin_http_request_seconds',
    help: 'From the first byte of a request to the last of its answer, waits included.',
    labelNames: ['route', 'method'],
    buckets: SECONDS,
    registers: [registry],
  })
  return ({ route, method, status, milliseconds }) => {
    const labels = { route: route ?? UNMATCHED, method: METHODS.has(method) ? method : OTHER }
    requests.inc({ ...labels, code: status === null ? GONE : String(status) })
    seconds.observe(labels, milliseconds / 1000)
  }
}
