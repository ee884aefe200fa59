import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { Amount } from '../parts/amount.tsx'
import { Facts } from '../parts/facts.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { momentsOf } from './payment-moments.ts'

/** An event tells of every step; this is for a connection that was lost meanwhile. */
const REFETCH_SECONDS = 5

/** A payment from the moment it was ordered to its end, as it happens. */
export function FirstPaymentProgress({ paymentId }: { paymentId: string }) {
  const assets = useAssets()
  const read = useAnswer(
    'GET /payment/status/{paymentId}',
    { params: { paymentId } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
  if (data === undefined) {
    return error === null ? <Skeleton className="h-44 w-full" /> : <ReadFault of={read} />
  }
  const { network, asset, amount, signature, status } = data
  return (
    <>
      <ReadFault of={read} />
      <div className="grid gap-6 lg:grid-cols-2">
        <div aria-live="polite">
          <Timeline label="What happened to the payment" moments={momentsOf(data)} />
        </div>
        <div className="space-y-3">
          <Facts
            facts={[
              { name: 'Status', value: <PaymentStatusBadge status={status} /> },
              {
                name: 'Amount',
                value: <Amount text={amount} unit={assets.symbol(network, asset)} />,
              },
              {
                name: 'Transaction',
                value:
                  signature === null ? 'none yet' : <Short text={signature} what="signature" />,
              },
              { name: 'Payment', value: <Short text={paymentId} what="payment id" /> },
            ]}
          />
          <p>
            <PageLink to={`/payments/${paymentId}`}>See the whole payment</PageLink>
          </p>
        </div>
      </div>
    </>
  )
}
