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
  readonly accountId: AccountId
  readonly request: SellerRequest
  /** What the seller is shown; null when it is asked without a payment. */
  readonly payment: { readonly headerName: string; readonly header: string } | null
  readonly seconds: number
  readonly signal?: AbortSignal
}

/** Asks a seller. Redirects are answers: nothing is followed. `busy`: nothing was sent, for this account asks too many at once. */
export type AskSeller = (question: SellerQuestion) => Promise<OutboundOutcome>

/** Opens the way to sellers, of which no account can take more than its part (limits.fetchRequestsPerAccountMax). */
export function openSellers(outbound: Outbound): AskSeller {
  const underWay = new Map<AccountId, number>()
  return async ({ accountId, request, payment, seconds, signal }) => {
    const others = underWay.get(accountId) ?? 0
    if (others >= limits.fetchRequestsPerAccountMax) {
      return { kind: 'failed', reason: 'busy', mayHaveArrived: false }
    }
    underWay.set(accountId, others + 1)
    const { method, url, headers, body } = request
    const shown = payment === null ? {} : { [payment.headerName.toLowerCase()]: payment.header }
    try {
      return await outbound.request({
        url,
        method,
        headers: { ...headers, ...shown },
        ...(body === undefined ? {} : { body }),
        timeoutMilliseconds: seconds * 1000,
        bodyBytesMax: limits.fetchBodyBytesMax,
        ...(signal === undefined ? {} : { signal }),
      })
    } finally {
      const left = (underWay.get(accountId) ?? 1) - 1
      if (left === 0) underWay.delete(accountId)
      else underWay.set(accountId, left)
    }
  }
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
