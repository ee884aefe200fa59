import { useQuery } from '@tanstack/react-query'
import { readNetworkName } from '@florin/wire/network-alias.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useApi } from '../app/services.tsx'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Empty } from '../parts/empty.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PaymentStatusBadge } from '../parts/payment-status.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Short } from '../parts/short.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useSession } from '../app/session.tsx'
import { recentEvents } from './recent-events.ts'
import { ShopCommands } from './shop-commands.tsx'
import { settlementsShown } from './settlements-shown.ts'
import type { ShownSettlement } from './settlements-shown.ts'
import { Catalogue } from './x402-catalogue.tsx'
import { EscrowCalls } from './x402-escrow.tsx'
import { SettlementQueue } from './x402-queue.tsx'
import { SponsoringCards } from './x402-sponsoring.tsx'

type Kind = Answer<'GET /x402/supported'>['kinds'][number]

const SETTLEMENTS_SHOWN_MAX = 20

/** What sellers can settle here, and what was settled last. */
export function Page() {
  const { baseUrl } = useSession()
  const read = useAnswer('GET /x402/supported')
  const { data, error } = read
  return (
    <div className="space-y-6">
      <PageHeader title="x402">
        This service verifies and settles x402 payments. Sellers name it as their facilitator.
      </PageHeader>
      <CodeBlock code={`${baseUrl}/x402`} what="facilitator address" />
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : (
        <Kinds supported={data} />
      )}
      <Catalogue />
      <SponsoringCards />
      <SettlementQueue />
      <Settlements />
      <EscrowCalls
        isOffered={data?.kinds.some(({ scheme }) => scheme === 'batch-settlement') ?? false}
      />
    </div>
  )
}

function Kinds({ supported }: { supported: Answer<'GET /x402/supported'> }) {
  const assets = useAssets()
  const signersOf = ({ network, extra }: Kind): readonly string[] => {
    const feePayer = extra?.['feePayer']
    if (typeof feePayer === 'string') return [feePayer]
    const caip2 = readNetworkName(network) ?? network
    const [family = ''] = caip2.split(':')
    return supported.signers[caip2] ?? supported.signers[`${family}:*`] ?? []
  }
  const columns: readonly Column<Kind>[] = [
    {
      header: 'Network',
      narrow: 1,
      cell: ({ network }) => (
        <span className="block">
          <span className="block font-medium">
            {assets.network(readNetworkName(network) ?? network)?.name ?? network}
          </span>
          <span className="font-mono text-[0.8125rem] break-all text-soft">{network}</span>
        </span>
      ),
    },
    {
      header: 'Scheme',
      narrow: 2,
      cell: ({ scheme, x402Version }) => (
        <>
          {scheme}
          <NarrowName>{`, x402 v${x402Version}`}</NarrowName>
        </>
      ),
    },
    {
      header: 'x402 version',
      align: 'right',
      cell: ({ x402Version }) => x402Version,
    },
    {
      header: 'Fees are paid by',
      narrow: 'line',
      cell: (kind) => (
        <span className="inline-flex flex-col">
          {signersOf(kind).length === 0 ? (
            <span className="text-soft">
              <NarrowName>fees are paid by </NarrowName>nobody now
            </span>
          ) : (
            signersOf(kind).map((address) => (
              <span key={address}>
                <NarrowName>fees by </NarrowName>
                <Short text={address} what="fee payer" />
              </span>
            ))
          )}
        </span>
      ),
    },
  ]
  return (
    <section aria-labelledby="kinds" className="space-y-3">
      <h2 id="kinds" className="font-semibold">
        Supported kinds
      </h2>
      <Table
        caption="Supported kinds"
        columns={columns}
        rows={supported.kinds}
        rowKey={({ network, scheme, x402Version }) => `${network} ${scheme} ${x402Version}`}
      />
      {supported.extensions.length === 0 ? null : (
        <p className="text-soft">
          Extensions: <span className="font-mono">{supported.extensions.join(', ')}</span>
        </p>
      )}
    </section>
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function Settlements() {
  const api = useApi()
  const assets = useAssets()
  // The operation in front makes new events refresh it.
  const read = useQuery({
    queryKey: ['GET /events', 'settlements'],
    queryFn: () => recentEvents(api),
  })
  const { data, error } = read
  const settled = settlementsShown(data ?? [], SETTLEMENTS_SHOWN_MAX)
  const columns: readonly Column<ShownSettlement>[] = [
    {
      header: 'Payment',
      narrow: 'whole',
      cell: ({ paymentId }) => (
        <RowLink to={`/payments/${paymentId}`}>
          <span className="font-mono text-[0.8125rem]">{shortText(paymentId)}</span>
        </RowLink>
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
      narrow: 1,
      cell: ({ event: { data: said } }) => (
        <Amount
          text={textOf(said['amount'])}
          unit={assets.symbol(textOf(said['network']), textOf(said['asset']))}
        />
      ),
    },
    { header: 'When', narrow: 3, cell: ({ event }) => <Time at={event.timestamp} /> },
  ]
  return (
    <section aria-labelledby="settlements" className="space-y-3">
      <h2 id="settlements" className="font-semibold">
        Recent settlements
      </h2>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : settled.length === 0 ? (
        <Empty title="Nothing was settled lately">
          What a seller of this account settles appears here by itself.
          <ShopCommands />
        </Empty>
      ) : (
        <Table
          caption="Recent settlements"
          columns={columns}
          rows={settled}
          rowKey={({ paymentId }) => paymentId}
        />
      )}
    </section>
  )
}
