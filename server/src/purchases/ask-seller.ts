import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Outbound, OutboundOutcome } from '../outbound/outbound.ts'
import type { SellerAnswer } from './purchase.ts'

/** A request as the caller wants it made. */
export interface SellerRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** One question to a seller. */
export interface SellerQuestion {
  readonly request: SellerRequest
  /** What the seller is shown; null when it is asked without a payment. */
  readonly payment: { readonly headerName: string; readonly header: string } | null
  readonly seconds: number
  readonly signal?: AbortSignal
}

/** Room for one request at a time to a seller, from the question for its price to the answer that was paid for: what is signed can be shown. */
export interface SellerTurn {
  /** Redirects are answers: nothing is followed. */
  ask(question: SellerQuestion): Promise<OutboundOutcome>
  /** Ends it; more than once is the same. */
  end(): void
}

/** The way to sellers. */
export interface Sellers {
  /** Undefined when this account, or all of them together, ask as many at once as they may. */
  turn(accountId: AccountId): SellerTurn | undefined
}

/** Opens the way to sellers, of which no account can take more than its part (limits.fetchRequestsPerAccountMax). */
export function openSellers(outbound: Outbound): Sellers {
  const underWay = new Map<AccountId, number>()
  let all = 0
  return {
    turn: (accountId) => {
      const others = underWay.get(accountId) ?? 0
      const isFull = others >= limits.fetchRequestsPerAccountMax
      if (isFull || all >= limits.outboundRequestsMax) return undefined
      underWay.set(accountId, others + 1)
      all += 1
      let isOver = false
      return {
        ask: (question) => ask(outbound, question),
        end: () => {
          if (isOver) return
          isOver = true
          all -= 1
          const left = (underWay.get(accountId) ?? 1) - 1
          if (left === 0) underWay.delete(accountId)
          else underWay.set(accountId, left)
        },
      }
    },
  }
}

function ask(
  outbound: Outbound,
  { request, payment, seconds, signal }: SellerQuestion,
): Promise<OutboundOutcome> {
  const { method, url, headers, body } = request
  const shown = payment === null ? {} : { [payment.headerName.toLowerCase()]: payment.header }
  return outbound.request({
    url,
    method,
    headers: { ...headers, ...shown },
    ...(body === undefined ? {} : { body }),
    timeoutMilliseconds: seconds * 1000,
    bodyBytesMax: limits.fetchBodyBytesMax,
    ...(signal === undefined ? {} : { signal }),
  })
}

/** What is kept and handed on of an answer. */
export function keptAnswer({
  status,
  headers,
  body,
}: {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}): SellerAnswer {
  const kept: Record<string, string> = {}
  let characters = 0
  for (const [name, value] of [...headers].slice(0, limits.fetchHeadersMax)) {
    characters += name.length + value.length
    if (characters > limits.fetchHeaderCharactersMax) break
    kept[name] = value.replaceAll('\u0000', '')
  }
  return { status, headers: kept, body }
}
