import { Link } from '@tanstack/react-router'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { useAssets } from '../api/use-assets.ts'
import { usePages } from '../api/use-pages.ts'
import { useApi } from '../app/services.tsx'
import { useMay } from '../app/session.tsx'
import { useFilters } from '../app/use-filters.ts'
import { countText } from '../format/count-text.ts'
import { saveFile } from '../format/save-file.ts'
import { exactTime } from '../format/time-text.ts'
import { Button, buttonStyle } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { useToast } from '../parts/toast.tsx'
import { paymentsAsked } from './payments-asked.ts'
import { allPayments, CSV_PAYMENTS_MAX, paymentsCsv } from './payments-csv.ts'
import { PaymentFilters } from './payments-filters.tsx'
import { PaymentTable } from './payments-table.tsx'

/** Everything that the account paid and was paid, as it happens. */
export function Page() {
  const filters = useFilters()
  const asked = paymentsAsked(filters)
  const list = usePages('GET /payments', {
    asked,
    input: (cursor) => ({ query: { ...asked, cursor } }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.payments,
    rowKey: ({ paymentId }) => paymentId,
    rowTime: ({ createdAt }) => createdAt,
  })
  const payments = list.rows ?? []
  const lookedBackTo = list.last?.lookedBackTo ?? null
  const fault = list.error instanceof ApiError ? list.error.details['search'] : undefined
  const searchFault = typeof fault === 'string' ? fault : undefined
  return (
    <>
      <PageHeader title="Payments" actions={<ExportButton asked={asked} />}>
        What this account paid and was paid, newest first.
      </PageHeader>
      <PaymentFilters filters={filters} searchFault={searchFault} />
      {searchFault === undefined ? <ReadFault of={list.read} /> : null}
      {list.rows === undefined ? (
        list.error === null ? (
          <SkeletonRows rows={8} />
        ) : null
      ) : payments.length > 0 ? (
        <PaymentTable payments={payments} />
      ) : (
        <NothingFound isFiltered={!filters.isEmpty} />
      )}
      {lookedBackTo === null ? null : (
        <p className="mt-3 text-center text-soft">
          Looked back to {exactTime(lookedBackTo)}. Older payments may fit, too.
        </p>
      )}
      <LoadMore of={list}>{lookedBackTo === null ? 'Show more' : 'Look further back'}</LoadMore>
    </>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  const mayPay = useMay('write')
  const pay = mayPay ? (
    <Link to="/first-payment" className={buttonStyle('primary')}>
      Make a payment
    </Link>
  ) : undefined
  return isFiltered ? (
    <Empty title="No payment fits">Take a filter away, or look for something else.</Empty>
  ) : (
    <Empty title="No payments yet" action={pay}>
      Whatever this account pays or is paid appears here as soon as it happens.
    </Empty>
  )
}

function ExportButton({ asked }: { asked: ReturnType<typeof paymentsAsked> }) {
  const api = useApi()
  const assets = useAssets()
  const say = useToast()
  const save = useMutation({
    mutationFn: () => allPayments(api, asked),
    onSuccess: (payments) => {
      const text = paymentsCsv(payments, assets.symbol)
      saveFile({ name: 'payments.csv', type: 'text/csv;charset=utf-8', text })
      const most = payments.length === CSV_PAYMENTS_MAX ? ', the newest that fit in one file' : ''
      say(`${countText(payments.length, 'payment')} in payments.csv${most}`)
    },
    onError: () => say('The export failed. Try again.'),
  })
  return (
    <Button busy={save.isPending} disabled={!assets.known} onClick={() => save.mutate()}>
      Export CSV
    </Button>
  )
}
