import { parseAmount } from '@florin/wire/amount.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { FETCH_HEADERS_MAX } from '@florin/wire/fetch.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import { purchaseFacts } from './answer.ts'
import { fetchPaid } from './fetch.ts'
import type { FetchDeps } from './fetch.ts'

/** Headers that only the exchange itself may set: a payment of the caller's own would be one that nobody here follows. */
const OWN_HEADERS = new Set(['x-payment', 'payment-signature', 'payment-required'])

/** Paying a seller of x402 in one call. */
export function purchaseRoutes(
  deps: FetchDeps & { readonly directory: ChainDirectory },
): readonly Route[] {
  const { directory } = deps
  return [
    route(endpoints.fetchPayment, async (call) => {
      const { body, caller } = call
      const { chain, address } = directory.resolve({
        network: body.network,
        address: body.walletAddress,
        field: 'walletAddress',
      })
      const asset = directory.asset(chain, body.asset ?? 'USDC')
      const ceiling = parseAmount(body.maxAmount, asset.decimals)
      if (!ceiling.ok) throw invalid('maxAmount', `at most ${asset.decimals} fraction digits`)
      const headers = Object.fromEntries(
        Object.entries(body.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const names = Object.keys(headers)
      if (names.length > FETCH_HEADERS_MAX) throw invalid('headers', `at most ${FETCH_HEADERS_MAX}`)
      if (!names.every((name) => /^[a-z0-9-]{1,64}$/.test(name))) {
        throw invalid('headers', 'names are letters, digits and hyphens')
      }
      if (names.some((name) => OWN_HEADERS.has(name))) {
        throw invalid('headers', 'must not carry a payment')
      }
      const method = body.method ?? 'GET'
      if (body.body !== undefined && (method === 'GET' || method === 'HEAD')) {
        throw invalid('body', `is not sent with ${method}`)
      }
      const url = new URL(body.url)
      url.hash = ''
      const metadataText = call.rawText('metadata') ?? null
      const result = await fetchPaid(deps, {
        accountId: caller.accountId,
        chain,
        walletAddress: address,
        asset,
        ceiling: ceiling.amount,
        request: {
          method,
          url: url.href,
          headers,
          ...(body.body === undefined ? {} : { body: Buffer.from(body.body, 'utf8') }),
        },
        metadataText,
        once:
          call.idempotencyKey === undefined
            ? null
            : {
                key: call.idempotencyKey,
                fingerprint: requestFingerprint(
                  { ...body, metadata: metadataText },
                  endpoints.fetchPayment.body,
                ),
              },
        clientGone: call.clientGone,
        waitOver: call.over,
        demandAdmitted: call.demandAdmitted,
      })
      return {
        headers: result.replayed ? { 'idempotent-replayed': 'true' } : {},
        body: purchaseFacts(result, chain.config),
      }
    }),
  ]
}

function invalid(field: string, rule: string): Refusal {
  return new Refusal('INVALID_PARAMETERS', { details: { [field]: rule } })
}
