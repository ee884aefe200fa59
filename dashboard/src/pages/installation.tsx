import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty } from '../parts/empty.tsx'
import { Field } from '../parts/field.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'

type Setting = Answer<'GET /operator/settings'>['settings'][number]

const COLUMNS: readonly Column<Setting>[] = [
  {
    header: 'Setting',
    cell: ({ name }) => <span className="font-mono text-[0.8125rem] break-all">{name}</span>,
  },
  { header: 'In force', cell: (setting) => <Value setting={setting} /> },
]

/** What the installation runs with, for whoever runs it. */
export function Page() {
  const read = useAnswer('GET /operator/settings')
  const { data, error } = read
  const [search, setSearch] = useState('')
  const settings = (data?.settings ?? []).filter(({ name }) =>
    name.toLowerCase().includes(search.trim().toLowerCase()),
  )
  return (
    <>
      <PageHeader title="Installation settings">
        What the instance that answers was started with. Settings come from its environment and
        change with a restart; secrets are never shown.
      </PageHeader>
      <div className="mb-4 max-w-sm">
        <Field
          label="Search"
          type="search"
          placeholder="A part of the name"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      </div>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows />
        ) : null
      ) : settings.length === 0 ? (
        <Empty title="No setting fits" />
      ) : (
        <Table
          caption="Installation settings"
          columns={COLUMNS}
          rows={settings}
          rowKey={({ name }) => name}
        />
      )}
    </>
  )
}

function Value({ setting: { value, secret } }: { setting: Setting }) {
  if (secret) {
    return (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Badge tone={value === 'set' ? 'good' : 'neutral'}>{value ?? 'not set'}</Badge>
        <span className="text-soft">secret</span>
      </span>
    )
  }
  if (value === null) return <span className="text-soft">not set</span>
  return <span className="font-mono text-[0.8125rem] break-all">{value}</span>
}
