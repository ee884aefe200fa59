import { useAnswer } from '../api/use-answer.ts'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import { useMay } from '../app/session.tsx'
import { usePathPart } from '../app/use-path-part.ts'
import { explorerLink } from '../format/explorer.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Facts } from '../parts/facts.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Timeline } from '../parts/timeline.tsx'
import { NetworkName } from './network-name.tsx'
import { PaymentAttempts } from './payment-attempts.tsx'
import { PaymentDeliveries } from './payment-deliveries.tsx'
import { momentsOf } from './payment-moments.ts'
import { PaymentTrade } from './payment-trade.tsx'
import { typeText } from './payment-type.ts'

type Payment = Answer<'GET /payment/status/{paymentId}'>

/** An event tells of every step; this is for a connection that was lost meanwhile. */
const REFETCH_SECONDS = 15

/** One payment, from its order to its end. */
export function Page() {
  const paymentId = usePathPart('paymentId')
  const read = useAnswer(
    'GET /payment/status/{paymentId}',
    { params: { paymentId } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
  return (
    <>
      <p className="mb-2">
        <PageLink to="/payments">All payments</PageLink>
      </p>
      <PageHeader title="Payment">
        <span className="inline-flex items-center gap-1">
          <span className="font-mono text-[0.8125rem] break-all">{paymentId}</span>
          <CopyButton text={paymentId} what="payment id" />
        </span>
      </PageHeader>
      <ReadFault of={read} />
      {data !== undefined ? (
        <Parts payment={data} />
      ) : error === null ? (
        <div className="grid gap-4 lg:grid-cols-2">
          <Skeleton className="h-96 w-full" />
          <Skeleton className="h-96 w-full" />
        </div>
      ) : null}
    </>
  )
}

function Parts({ payment }: { payment: Payment }) {
  // Others cannot read trades; the facts say that it is one.
  const mayTrade = useMay('trade')
  return (
    <div className="space-y-4">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Facts">
          <PaymentFacts payment={payment} />
        </Card>
        <div className="min-w-0 space-y-4">
          <Card title="Timeline">
            <div aria-live="polite">
              <Timeline label="What happened to the payment" moments={momentsOf(payment)} />
            </div>
          </Card>
          {payment.tradeId === undefined || !mayTrade ? null : (
            <PaymentTrade tradeId={payment.tradeId} />
          )}
        </div>
      </div>
      <PaymentAttempts payment={payment} />
      <PaymentDeliveries paymentId={payment.paymentId} createdAt={payment.createdAt} />
      {payment.metadata === null ? null : (
        <Card title="Metadata">
          <CodeBlock code={JSON.stringify(payment.metadata, null, 2)} what="metadata" />
        </Card>
      )}
    </div>
  )
}

function PaymentFacts({ payment }: { payment: Payment }) {
  const assets = useAssets()
  const { network, asset, amount, fee, signature, status, resource } = payment
  const explorer = explorerLink({ network, signature, sandbox: payment.sandbox === true })
  const enough = payment.releaseDepth === null ? '' : `; enough from ${payment.releaseDepth + 1} on`
  return (
    <Facts
      facts={[
        {
          name: 'Status',
          value: (
            <span className="inline-flex flex-wrap gap-1.5">
              <PaymentStatusBadge status={status} />
              {payment.finalityViolated ? <Badge tone="bad">finality broken</Badge> : null}
              {payment.selfCustody ? <Badge>self-custody</Badge> : null}
              {payment.abandoned ? <Badge tone="warn">given up</Badge> : null}
            </span>
          ),
        },
        { name: 'Type', value: typeText(payment) },
        { name: 'Amount', value: <Amount text={amount} unit={assets.symbol(network, asset)} /> },
        {
          name: 'Network fee',
          value:
            fee === null ? (
              feeUnknown(payment)
            ) : (
              <Amount text={fee} unit={assets.symbol(network, 'native')} />
            ),
        },
        { name: 'From', value: <Short text={payment.sender} what="sender" /> },
        { name: 'To', value: <Short text={payment.recipient} what="recipient" /> },
        { name: 'Network', value: <NetworkName id={network} /> },
        {
          name: 'Transaction',
          value:
            signature === null ? (
              'none yet'
            ) : (
              <span className="inline-flex flex-wrap items-center gap-x-3">
                <Short text={signature} what="transaction" />
                {explorer === undefined ? null : (
                  <a
                    href={explorer}
                    target="_blank"
                    rel="noreferrer"
                    className="font-medium text-brand-strong underline underline-offset-2"
                  >
                    View in explorer
                  </a>
                )}
              </span>
            ),
        },
        {
          name: 'Confirmations',
          value: `${payment.confirmations.toLocaleString('en')}${enough}`,
        },
        ...(payment.finality === null ? [] : [{ name: 'Final by', value: payment.finality }]),
        ...(resource === null
          ? []
          : [{ name: 'Resource', value: <span className="break-all">{resource}</span> }]),
        ...(payment.remark === undefined
          ? []
          : [{ name: 'Remark', value: payment.remark.message }]),
      ]}
    />
  )
}

/** Whoever sent or settled a payment paid its fee, and its receiver is not told how much. */
function feeUnknown({ type, status }: Payment): string {
  if (type === 'received') return 'not paid by the receiver'
  return status === 'pending' ? 'not known yet' : 'not known'
}
