import type { DeliveryStatus } from '@florin/wire/webhook.ts'
import { Badge } from '../parts/badge.tsx'
import type { Tone } from '../parts/badge.tsx'

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  waiting: 'warn',
  delivered: 'good',
  failed: 'bad',
}

/** What became of an event on its way to an endpoint. */
export function DeliveryStatusBadge({ status }: { status: DeliveryStatus }) {
  return <Badge tone={TONES[status]}>{status}</Badge>
}
