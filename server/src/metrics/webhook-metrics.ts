import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** What became of one request to an endpoint of a caller. */
export type WebhookEnd = 'delivered' | 'later' | 'failed' | 'dropped'

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts requests to endpoints, all of them together: an endpoint's name would be a label without bounds. */
export function webhookMetrics(
  registry: Registry,
): (end: WebhookEnd, milliseconds: number) => void {
  const attempts = new Counter({
    name: 'florin_webhook_attempts_total',
    help: 'Requests to webhooks by what came of them: delivered, later, failed (given up), dropped (another instance went on).',
    labelNames: ['end'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'florin_webhook_attempt_seconds',
    help: 'How long webhooks took to answer.',
    buckets: SECONDS,
    registers: [registry],
  })
  return (end, milliseconds) => {
    attempts.inc({ end })
    seconds.observe(milliseconds / 1000)
  }
}
