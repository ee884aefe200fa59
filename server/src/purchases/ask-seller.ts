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

/** Asks the seller, with the payment or without one. Redirects are answers: nothing is followed. */
export function askSeller(
  outbound: Outbound,
  { method, url, headers, body }: SellerRequest,
  payment: { readonly headerName: string; readonly header: string } | null,
  seconds: number,
  signal?: AbortSignal,
): Promise<OutboundOutcome> {
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
