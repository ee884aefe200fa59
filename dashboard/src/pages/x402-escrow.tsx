import { useMemo } from 'react'
import { usePages } from '../api/use-pages.ts'
import { useAssets } from '../api/use-assets.ts'
import type { Assets } from '../api/use-assets.ts'
import type { Answer } from '../api/operation.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Empty } from '../parts/empty.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'

type Call = Answer<'GET /x402/escrow-calls'>['calls'][number]

const PAGE_CALLS = 20

/** Each kind of call in a word. */
const KINDS: Readonly<Record<Call['operation'], string>> = {
  deposit: 'Deposit',
  claim: 'Claim',
  settle: 'Settlement',
  refund: 'Refund',
}

/** What was sent to the escrow of `batch-settlement` for this account; nothing where that is not offered, and never was. */
export function EscrowCalls({ isOffered }: { isOffered: boolean }) {
  const assets = useAssets()
  const columns = useMemo(() => columnsOf(assets), [assets])
  const pages = usePages('GET /x402/escrow-calls', {
    asked: 'escrow calls',
    input: (cursor) => ({
      query: { limit: PAGE_CALLS, ...(cursor === undefined ? {} : { cursor }) },
    }),
    next: ({ nextCursor }) => nextCursor,
    rows: ({ calls }) => calls,
    rowKey: ({ callId }) => callId,
    rowTime: ({ createdAt }) => createdAt,
  })
  const { rows, error, read } = pages
  if (!isOffered && (rows === undefined || rows.length === 0)) return null
  return (
    <section aria-labelledby="escrow" className="space-y-3">
      <h2 id="escrow" className="font-semibold">
        Escrow calls
      </h2>
      <ReadFault of={read} />
      {rows === undefined ? (
        error === null ? (
          <SkeletonRows rows={2} />
        ) : null
      ) : rows.length === 0 ? (
        <Empty title="Nothing was sent to the escrow yet">
          With <span className="font-mono">batch-settlement</span> buyers deposit once and pay by
          vouchers. Deposits, claims, settlements and refunds stand here:{' '}
          <a
            href="/docs/guides/sell#many-small-payments"
            className="font-medium text-brand-strong underline underline-offset-4"
          >
            many small payments
          </a>
          .
        </Empty>
      ) : (
        <>
          <Table
            caption="Escrow calls"
            columns={columns}
            rows={rows}
            rowKey={({ callId }) => callId}
          />
          <LoadMore of={pages} />
        </>
      )}
    </section>
  )
}

function columnsOf(assets: Assets): readonly Column<Call>[] {
  return [
    {
      header: 'Call',
      narrow: 1,
      cell: ({ operation, channelCount }) => (
        <>
          {KINDS[operation]}
          {channelCount > 1 ? <span className="text-soft"> of {channelCount} channels</span> : null}
        </>
      ),
    },
    {
      header: 'Status',
      narrow: 2,
      cell: ({ status }) => <PaymentStatusBadge status={status} />,
    },
    {
      header: 'Amount',
      align: 'right',
      narrow: 3,
      cell: ({ amount, status, network, asset }) =>
        amount === null ? (
          <span className="text-soft">{status === 'pending' ? 'not yet' : 'not known'}</span>
        ) : (
          <Amount text={amount} unit={assets.symbol(network, asset)} />
        ),
    },
    {
      header: 'For',
      cell: ({ operation, payer, payTo }) => {
        const [address, what] = operation === 'refund' ? [payer, 'payer'] : [payTo, 'receiver']
        return address === null ? 'several receivers' : <Short text={address} what={what} />
      },
    },
    {
      header: 'Transaction',
      spare: true,
      cell: ({ transaction }) =>
        transaction === null ? null : <Short text={transaction} what="transaction" />,
    },
    {
      header: 'Call id',
      spare: true,
      cell: ({ callId }) => (
        <span className="font-mono text-[0.8125rem]" title={callId}>
          {shortText(callId)}
        </span>
      ),
    },
    { header: 'Created', narrow: 4, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
