import { PAYMENT_STATUSES } from '@florin/wire/payment.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import type { Filters } from '../app/use-filters.ts'
import { useTyped } from '../app/use-typed.ts'
import { shortText } from '../format/short-text.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import {
  ClearFiltersButton,
  FilterButton,
  FoldedFilters,
  useFilterFold,
} from '../parts/filter-fold.tsx'
import type { FilterFold } from '../parts/filter-fold.tsx'
import { Select } from '../parts/select.tsx'
import { paymentsAsked } from './payments-asked.ts'

const TYPES = [
  { value: '', label: 'Any type' },
  { value: 'sent', label: 'Sent' },
  { value: 'received', label: 'Received' },
]
const STATUSES = [
  { value: '', label: 'Any status' },
  ...PAYMENT_STATUSES.map((value) => ({ value, label: value })),
]

/** What the list of payments is narrowed by. Choices count at once, the search when it is sent. */
export function PaymentFilters({
  filters,
  searchFault,
}: {
  filters: Filters
  searchFault: string | undefined
}) {
  const fold = useFilterFold('payments')
  const assets = useAssets()
  const wallets = useAnswer('GET /wallets')
  const symbols = new Set(assets.networks.flatMap((each) => each.assets.map((a) => a.symbol)))
  const choose = (name: string) => (value: string) => filters.set({ [name]: value })
  const chosen = filters.get('wallet')
  const own = (wallets.data?.wallets ?? []).map(({ address, label }) => ({
    value: address,
    label: label === null ? shortText(address) : `${label} (${shortText(address)})`,
  }))
  const other =
    chosen === '' || own.some(({ value }) => value === chosen)
      ? []
      : [{ value: chosen, label: shortText(chosen) }]
  return (
    <section aria-label="Filters" className="mb-5 space-y-3">
      <Search filters={filters} fault={searchFault} fold={fold} />
      <FoldedFilters fold={fold}>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
          <Select
            label="Type"
            choices={TYPES}
            value={filters.get('type')}
            onChoose={choose('type')}
          />
          <Select
            label="Status"
            choices={STATUSES}
            value={filters.get('status')}
            onChoose={choose('status')}
          />
          <Select
            label="Wallet"
            choices={[{ value: '', label: 'Any wallet' }, ...own, ...other]}
            value={chosen}
            onChoose={choose('wallet')}
          />
          <Select
            label="Asset"
            choices={[
              { value: '', label: 'Any asset' },
              ...[...symbols].map((value) => ({ value, label: value })),
            ]}
            value={filters.get('asset')}
            onChoose={choose('asset')}
          />
          <Field
            label="From"
            type="date"
            value={filters.get('from')}
            onChange={({ target }) => filters.set({ from: target.value })}
          />
          <Field
            label="To"
            type="date"
            value={filters.get('to')}
            onChange={({ target }) => filters.set({ to: target.value })}
          />
        </div>
      </FoldedFilters>
    </section>
  )
}

function Search({
  filters,
  fault,
  fold,
}: {
  filters: Filters
  fault: string | undefined
  fold: FilterFold
}) {
  const [text, setText] = useTyped(filters.get('search'))
  // The search is in sight by itself.
  const { search: _, ...asked } = paymentsAsked(filters)
  const count = Object.values(asked).filter((each) => each !== undefined).length
  return (
    <form
      role="search"
      className="flex flex-wrap items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        filters.set({ search: text.trim() })
      }}
    >
      <div className="min-w-0 grow basis-48">
        <Field
          label="Search"
          type="search"
          placeholder="Id, transaction, address, resource"
          value={text}
          fault={fault}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <div className="pt-6">
        <Button type="submit">Search</Button>
      </div>
      {/* On a wide screen nothing but the way to clear them, beside the search. */}
      <div className="flex gap-2 max-sm:w-full sm:pt-6">
        <FilterButton fold={fold} count={count} />
        <ClearFiltersButton fold={fold} filters={filters} />
      </div>
    </form>
  )
}
