import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { countText } from '../format/count-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Deadline } from '../parts/deadline.tsx'
import { Empty } from '../parts/empty.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useNow } from '../parts/use-now.ts'
import { DeleteKeyDialog } from './key-delete-dialog.tsx'
import { GenerateKeyDialog } from './key-generate-dialog.tsx'
import { RotateKeyDialog } from './key-rotate-dialog.tsx'

export type KeyInfo = Answer<'GET /keys'>['keys'][number]

type Asked =
  | { readonly deed: 'generate' }
  | { readonly deed: 'rotate'; readonly key: KeyInfo }
  | { readonly deed: 'delete'; readonly key: KeyInfo }

/** The keys by which programs come in: generate, rotate, delete. */
export function Page() {
  const read = useAnswer('GET /keys')
  const { data, error } = read
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const generate = (
    <Button kind="primary" icon="plus" onClick={() => setAsked({ deed: 'generate' })}>
      Generate key
    </Button>
  )
  return (
    <>
      <PageHeader title="API keys" actions={generate}>
        Programs send one as <code className="font-mono">Authorization: Bearer</code>. Rotate a key
        by generating its successor first, then switching, then deleting.
      </PageHeader>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows />
        ) : null
      ) : data.keys.length === 0 ? (
        <Empty title="No keys yet">
          A key lets a program use this account. Generate one for each program, so that each can be
          taken away alone.
        </Empty>
      ) : (
        <>
          <KeyTable keys={data.keys} onAsk={setAsked} />
          <p className="mt-3 text-soft">
            {data.keys.length} of at most {countText(data.liveMax, 'key')}.
          </p>
        </>
      )}
      {asked?.deed === 'generate' ? <GenerateKeyDialog onClose={close} /> : null}
      {asked?.deed === 'rotate' ? <RotateKeyDialog apiKey={asked.key} onClose={close} /> : null}
      {asked?.deed === 'delete' ? <DeleteKeyDialog apiKey={asked.key} onClose={close} /> : null}
    </>
  )
}

function KeyTable({ keys, onAsk }: { keys: readonly KeyInfo[]; onAsk: (asked: Asked) => void }) {
  const columns: readonly Column<KeyInfo>[] = [
    {
      header: 'Name',
      narrow: 1,
      cell: ({ keyId, name, lastFour, mode }) => (
        <span className="block">
          <span className="block font-medium break-words">
            {name}{' '}
            <span className="font-mono text-[0.8125rem] font-normal whitespace-nowrap text-soft sm:hidden">
              …{lastFour}
            </span>
          </span>
          <span className="block font-mono text-[0.8125rem] text-soft max-sm:hidden">
            florin_{mode}_…{lastFour}
          </span>
          <span className="block text-soft">
            {/* What the audit log and logs call it by. */}
            <Short text={keyId} what={`id of key ${name}`} />
          </span>
        </span>
      ),
    },
    {
      header: 'Scopes',
      narrow: 'line',
      cell: ({ scopes }) => (
        <span className="inline-flex min-w-26 flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      ),
    },
    {
      header: 'Plan',
      narrow: 2,
      cell: ({ plan }) => (
        <>
          <NarrowName>plan </NarrowName>
          {plan}
        </>
      ),
    },
    {
      header: 'Last used',
      narrow: 3,
      cell: ({ lastUsedAt, expiresAt }) => <LastUse at={lastUsedAt} expiresAt={expiresAt} />,
    },
    { header: 'Expires', cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (key) => (
        <span className="inline-flex gap-1">
          <Button
            kind="quiet"
            aria-label={`Rotate key ${key.name}`}
            onClick={() => onAsk({ deed: 'rotate', key })}
          >
            Rotate
          </Button>
          <Button
            kind="quiet"
            aria-label={`Delete key ${key.name}`}
            onClick={() => onAsk({ deed: 'delete', key })}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ]
  return <Table caption="API keys" columns={columns} rows={keys} rowKey={({ keyId }) => keyId} />
}

/** When a key was used last; on a narrow screen it says so, and when it expires. */
function LastUse({ at, expiresAt }: { at: number | null; expiresAt: number | null }) {
  const used = at === null ? 'never' : <Time at={at} wraps />
  return (
    <>
      <span className="max-sm:hidden">{used}</span>
      <span className="text-soft sm:hidden">
        <span className="block">{at === null ? 'never used' : <>used {used}</>}</span>
        {expiresAt === null ? null : (
          <span className="block">
            expires: <Expiry at={expiresAt} />
          </span>
        )}
      </span>
    </>
  )
}

function Expiry({ at }: { at: number | null }) {
  const now = useNow()
  if (at === null) return 'never'
  return at <= now ? <Badge tone="bad">expired</Badge> : <Deadline at={at} />
}
