import type { PaymentStatus } from '@florin/wire/payment.ts'
import { Badge } from './badge.tsx'
import type { Tone } from './badge.tsx'

const TONES: Readonly<Record<PaymentStatus, Tone>> = {
  pending: 'warn',
  confirmed: 'info',
  settled: 'good',
  failed: 'bad',
  expired: 'neutral',
}

/** Where a payment stands. */
export function PaymentStatusBadge({ status }: { status: PaymentStatus }) {
  return <Badge tone={TONES[status]}>{status}</Badge>
}
