import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { browserText } from '../format/browser-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { EndSessionDialog } from './settings-session-end-dialog.tsx'

export type SessionInfo = Answer<'GET /sessions'>['sessions'][number]

/** Where this person is signed in, and the way to end it. */
export function SessionSettings() {
  const read = useAnswer('GET /sessions')
  const { data, error } = read
  const passkeys = useAnswer('GET /me/passkeys').data?.passkeys
  const [asked, setAsked] = useState<SessionInfo | null>(null)
  const columns: readonly Column<SessionInfo>[] = [
    {
      header: 'Browser',
      narrow: 1,
      cell: ({ userAgent, current }) => (
        <span className="block break-words sm:max-w-md">
          <span title={userAgent === '' ? undefined : userAgent}>{browserText(userAgent)}</span>{' '}
          {current ? <Badge tone="brand">this one</Badge> : null}
        </span>
      ),
    },
    {
      header: 'From',
      narrow: 'line',
      cell: ({ address, method }) => (
        <>
          <NarrowName>from </NarrowName>
          {address}
          <NarrowName>{`, signed in by ${method}`}</NarrowName>
        </>
      ),
    },
    { header: 'By', cell: ({ method }) => method },
    {
      header: 'Last seen',
      narrow: 3,
      cell: ({ lastSeenAt }) => (
        <>
          <NarrowName>seen </NarrowName>
          <Time at={lastSeenAt} />
        </>
      ),
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (session) => (
        <Button
          kind="quiet"
          aria-label={`End session of ${browserText(session.userAgent)}${session.current ? ', this one' : ''}`}
          onClick={() => setAsked(session)}
        >
          End session
        </Button>
      ),
    },
  ]
  return (
    <section aria-labelledby="sessions" className="space-y-3">
      <h2 id="sessions" className="font-semibold">
        Sessions
      </h2>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={2} />
        ) : null
      ) : (
        <Table
          caption="Sessions"
          columns={columns}
          rows={data.sessions}
          rowKey={({ sessionId }) => sessionId}
        />
      )}
      {asked === null ? null : (
        <EndSessionDialog
          session={asked}
          hasPasskey={passkeys && passkeys.length > 0}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  )
}
