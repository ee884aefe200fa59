import type { Answer } from '../api/operation.ts'
import { Badge } from '../parts/badge.tsx'
import type { Tone } from '../parts/badge.tsx'
import { Short } from '../parts/short.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'

type Payment = Answer<'GET /payment/status/{paymentId}'>
type Attempt = Payment['attempts'][number]

const TONES: Readonly<Record<Attempt['status'], Tone>> = {
  signed: 'neutral',
  sent: 'info',
  mined: 'good',
  reverted: 'bad',
  replaced: 'neutral',
}

const COLUMNS: readonly Column<Attempt>[] = [
  { header: 'Attempt', cell: ({ number }) => number },
  { header: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { header: 'Transaction', cell: ({ signature }) => <Short text={signature} what="transaction" /> },
  { header: 'Signed', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    header: 'Last sent',
    cell: ({ sentAt }) => (sentAt === null ? 'not yet' : <Time at={sentAt} />),
  },
  {
    header: 'Request',
    cell: ({ requestId }) =>
      requestId === null ? 'by the service' : <Short text={requestId} what="request id" />,
  },
]

/** Every transaction that was signed for a payment; nothing for money that came without one of ours. */
export function PaymentAttempts({ payment: { attempts } }: { payment: Payment }) {
  if (attempts.length === 0) return null
  return (
    <section aria-labelledby="attempts" className="space-y-3 pt-2">
      <h2 id="attempts" className="font-semibold">
        Attempts
      </h2>
      <Table
        caption="Attempts"
        columns={COLUMNS}
        rows={attempts}
        rowKey={({ signature }) => signature}
      />
    </section>
  )
}
