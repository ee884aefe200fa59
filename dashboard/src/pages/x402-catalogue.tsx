import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Empty } from '../parts/empty.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'

type Resource = Answer<'GET /x402/catalogue'>['resources'][number]
type Price = Resource['prices'][number]

const REFETCH_SECONDS = 15

/** What buyers find of this account. */
export function Catalogue() {
  const read = useAnswer('GET /x402/catalogue', {}, { refetchSeconds: REFETCH_SECONDS })
  const { data, error } = read
  const columns: readonly Column<Resource>[] = [
    { header: 'Resource', cell: (resource) => <Name resource={resource} /> },
    { header: 'Price', align: 'right', cell: ({ prices }) => <Prices prices={prices} /> },
    {
      header: 'Settled',
      align: 'right',
      cell: ({ settledCount }) => (
        <span className="tabular-nums">{settledCount.toLocaleString('en')}</span>
      ),
    },
    { header: 'Last settled', cell: ({ lastSettledAt }) => <Time at={lastSettledAt} /> },
  ]
  return (
    <section aria-labelledby="catalogue" className="space-y-3">
      <h2 id="catalogue" className="font-semibold">
        Catalogue
      </h2>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : data.resources.length === 0 ? (
        <Empty title="Nothing is listed yet">
          Declare the extension <span className="font-mono">bazaar</span> for a resource. Once a
          payment for it is settled here, buyers find it:{' '}
          <a
            href="/docs/guides/sell#be-found"
            className="font-medium text-brand-strong underline underline-offset-4"
          >
            how to be found
          </a>
          .
        </Empty>
      ) : (
        <Table
          caption="Catalogue"
          columns={columns}
          rows={data.resources}
          rowKey={({ resource, method, toolName }) => `${method} ${resource} ${toolName}`}
        />
      )}
    </section>
  )
}

function Name({
  resource: { resource, method, toolName, description, serviceName },
}: {
  resource: Resource
}) {
  const about = [serviceName, description].filter((text) => text !== null).join(' · ')
  return (
    <span className="block sm:max-w-xl">
      <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 max-sm:justify-end">
        <Badge>{toolName === null ? (method ?? 'http') : 'tool'}</Badge>
        <span className="font-mono text-[0.8125rem] break-all">{resource}</span>
        {toolName === null ? null : <span className="font-medium break-all">{toolName}</span>}
      </span>
      {about === '' ? null : (
        <span className="line-clamp-2 block wrap-anywhere text-soft">{about}</span>
      )}
    </span>
  )
}

/** One price where all ways to pay have it; else each with its network. */
function Prices({ prices }: { prices: readonly Price[] }) {
  const distinct = [...new Map(prices.map((each) => [textOf(each), each])).values()]
  const networks = new Set(prices.map(({ network }) => network))
  return (
    <span className="inline-flex flex-col items-end">
      {distinct.map((price) => (
        <span key={textOf(price)} className="inline-flex flex-wrap justify-end gap-x-2">
          <Amount
            text={price.amount ?? price.amountBaseUnits}
            unit={price.symbol ?? 'base units'}
          />
          {networks.size === 1 ? null : (
            <span className="text-soft">
              <NetworkName id={price.network} />
            </span>
          )}
        </span>
      ))}
    </span>
  )
}

/** What two prices must share to be one line. */
function textOf({ network, amountBaseUnits, asset }: Price): string {
  return `${network} ${asset} ${amountBaseUnits}`
}
