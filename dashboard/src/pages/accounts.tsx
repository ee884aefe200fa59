import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { usePages } from '../api/use-pages.ts'
import { useFilters } from '../app/use-filters.ts'
import { countText } from '../format/count-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Field } from '../parts/field.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { ChangeAccountDialog, CreateAccountDialog } from './account-dialogs.tsx'
import { InviteIntoDialog } from './settings-invite-dialog.tsx'

export type Account = Answer<'GET /operator/accounts'>['accounts'][number]

/** Every account of the installation, for whoever runs it. */
export function Page() {
  const filters = useFilters()
  const [asked, setAsked] = useState<'create' | Account | null>(null)
  const [inviting, setInviting] = useState<Account | null>(null)
  const search = filters.get('search')
  const list = usePages('GET /operator/accounts', {
    asked: search,
    input: (cursor) => ({ query: { search: search === '' ? undefined : search, cursor } }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.accounts,
    rowKey: ({ accountId }) => accountId,
    rowTime: ({ createdAt }) => createdAt,
  })
  const accounts = list.rows ?? []
  const close = () => setAsked(null)
  return (
    <>
      <PageHeader
        title="Accounts"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setAsked('create')}>
            Create account
          </Button>
        }
      >
        Everybody who uses this installation, with plan and limits.
      </PageHeader>
      <div className="mb-4 max-w-sm">
        <Field
          label="Search"
          type="search"
          placeholder="A part of the name, or the id"
          value={search}
          onChange={({ target }) => filters.set({ search: target.value })}
        />
      </div>
      <ReadFault of={list.read} />
      {list.rows === undefined ? (
        list.error === null ? (
          <SkeletonRows />
        ) : null
      ) : accounts.length === 0 ? (
        <Empty title="No account fits" />
      ) : (
        <Table
          caption="Accounts"
          columns={columnsOf({ onChange: setAsked, onInvite: setInviting })}
          rows={accounts}
          rowKey={({ accountId }) => accountId}
        />
      )}
      <LoadMore of={list} />
      {asked === 'create' ? <CreateAccountDialog onClose={close} /> : null}
      {asked === null || asked === 'create' ? null : (
        <ChangeAccountDialog account={asked} onClose={close} />
      )}
      {inviting === null ? null : (
        <InviteIntoDialog account={inviting} onClose={() => setInviting(null)} />
      )}
    </>
  )
}

function columnsOf({
  onChange,
  onInvite,
}: {
  onChange: (account: Account) => void
  onInvite: (account: Account) => void
}): readonly Column<Account>[] {
  return [
    {
      header: 'Account',
      narrow: 1,
      cell: ({ name, accountId }) => (
        <span className="block">
          <span className="block font-medium break-words">{name}</span>
          <span className="text-soft">
            <Short text={accountId} what="account id" />
          </span>
        </span>
      ),
    },
    {
      header: 'Status',
      narrow: 2,
      cell: ({ suspendedAt }) =>
        suspendedAt === null ? (
          <Badge tone="good">active</Badge>
        ) : (
          <Badge tone="bad">suspended</Badge>
        ),
    },
    {
      header: 'Plan',
      narrow: 'line',
      cell: ({ plan, requestsPerMinute, members, keys, wallets }) => (
        <>
          {requestsPerMinute === null ? plan : `${plan}, ${requestsPerMinute} a minute`}
          {/* Where their columns are left out. */}
          <span className="text-soft @4xl:hidden">
            : {countText(members, 'member')}, {countText(keys, 'key')},{' '}
            {countText(wallets, 'wallet')}
          </span>
        </>
      ),
    },
    { header: 'Members', align: 'right', spare: true, cell: ({ members }) => members },
    { header: 'Keys', align: 'right', spare: true, cell: ({ keys }) => keys },
    { header: 'Wallets', align: 'right', spare: true, cell: ({ wallets }) => wallets },
    {
      header: 'Last used',
      narrow: 3,
      cell: ({ lastUsedAt }) => (
        <>
          <NarrowName>used </NarrowName>
          {lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}
        </>
      ),
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (account) => (
        <span className="inline-flex">
          <Button
            kind="quiet"
            aria-label={`Invite member of ${account.name}`}
            onClick={() => onInvite(account)}
          >
            Invite
          </Button>
          <Button
            kind="quiet"
            aria-label={`Change account ${account.name}`}
            onClick={() => onChange(account)}
          >
            Change
          </Button>
        </span>
      ),
    },
  ]
}
