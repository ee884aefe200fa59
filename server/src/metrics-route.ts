import { bare } from '@florin/wire/endpoint.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import { Refusal } from '@florin/wire/errors.ts'
import Type from 'typebox'
import type { Route } from './http/route.ts'
import type { MetricsText } from './metrics/metrics.ts'

/**
 * GET /metrics at the public door, for keys of the scope admin. Not a row of the contract's table: its answer is Prometheus' text and
 * not JSON, and it is for operators.
 */
const row = {
  ...bare,
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  summary: 'What the service measures, in the text format of Prometheus',
  needs: { scope: 'admin', plan: 'standard' },
  // Scrapers add parameters of their own.
  query: Type.Object({}),
  answer: Type.Object({}),
} as const satisfies Endpoint

export function metricsRoute(read: () => Promise<MetricsText>): Route {
  return {
    endpoint: row,
    open:
      () =>
      async ({ person }) => {
        // It tells of every account.
        if (person?.isOperator === false) {
          throw new Refusal('FORBIDDEN', { details: { session: 'needs an operator' } })
        }
        const { contentType, text } = await read()
        return { status: 200, headers: { 'content-type': contentType }, text }
      },
  }
}
