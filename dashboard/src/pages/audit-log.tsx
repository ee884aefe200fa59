import { usePages } from '../api/use-pages.ts'
import { useFilters } from '../app/use-filters.ts'
import { useTyped } from '../app/use-typed.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import {
  ClearFiltersButton,
  FilterButton,
  FoldedFilters,
  useFilterFold,
} from '../parts/filter-fold.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { Select } from '../parts/select.tsx'
import { AuditTable } from './audit-table.tsx'

const KINDS = [
  { value: '', label: 'Everything' },
  { value: 'account.', label: 'Accounts' },
  { value: 'member.', label: 'Members' },
  { value: 'key.', label: 'API keys' },
  { value: 'plan.', label: 'Plans' },
  { value: 'wallet.', label: 'Wallets and policies' },
  { value: 'address.', label: 'Receiving addresses' },
  { value: 'webhook.', label: 'Webhooks' },
  { value: 'session.', label: 'Sign-ins' },
  { value: 'passkey.', label: 'Passkeys' },
  { value: 'network.', label: 'Networks' },
  { value: 'lane.', label: 'Lanes' },
] as const
const given = (text: string) => (text === '' ? undefined : text)

/** Every change of every account and of the installation, for whoever runs it. */
export function Page() {
  const filters = useFilters()
  const [action, accountId, object] = [
    filters.get('action'),
    filters.get('account'),
    filters.get('object'),
  ]
  const list = usePages('GET /operator/audit', {
    asked: { action, accountId, object },
    input: (cursor) => ({
      query: {
        action: given(action),
        accountId: given(accountId),
        object: given(object),
        cursor,
      },
    }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.entries,
    rowKey: ({ auditId }) => auditId,
    rowTime: ({ at }) => at,
  })
  return (
    <>
      <PageHeader title="Audit log">
        Who changed what, in every account and in the installation. Nothing is taken out of it.
      </PageHeader>
      <Filters />
      <AuditTable
        list={list}
        entries={list.rows}
        empty={{
          title: filters.isEmpty ? 'Nothing was changed yet' : 'No change fits',
          says: 'Every change is kept here.',
        }}
        showsAccount
      />
    </>
  )
}

function Filters() {
  const filters = useFilters()
  const fold = useFilterFold('audit log')
  const [account, setAccount] = useTyped(filters.get('account'))
  const [object, setObject] = useTyped(filters.get('object'))
  const clear = <ClearFiltersButton fold={fold} filters={filters} />
  const count = ['action', 'account', 'object'].filter((name) => filters.get(name) !== '').length
  return (
    <section aria-label="Filters" className="mb-4 space-y-3">
      <div className="flex gap-2 sm:hidden">
        <FilterButton fold={fold} count={count} />
        {clear}
      </div>
      <FoldedFilters fold={fold}>
        <form
          role="search"
          className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4"
          onSubmit={(event) => {
            event.preventDefault()
            filters.set({ account: account.trim(), object: object.trim() })
          }}
        >
          <Select
            label="What"
            choices={KINDS}
            value={filters.get('action')}
            onChoose={(value) => filters.set({ action: value })}
          />
          <Field
            label="Account"
            placeholder="acct_..."
            maxLength={64}
            value={account}
            onChange={({ target }) => setAccount(target.value)}
          />
          <Field
            label="To"
            placeholder="The id of what was changed"
            maxLength={128}
            value={object}
            onChange={({ target }) => setObject(target.value)}
          />
          <div className="flex gap-2">
            <Button type="submit">Search</Button>
            <span className="contents max-sm:hidden">{clear}</span>
          </div>
        </form>
      </FoldedFilters>
    </section>
  )
}
