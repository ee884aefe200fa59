import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useDeed } from '../api/use-deed.ts'
import { browserText } from '../format/browser-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'

type Session = Answer<'GET /sessions'>['sessions'][number]

/** Where this person is signed in, and the way to end it. */
export function SessionSettings() {
  const { data, error, refetch } = useAnswer('GET /sessions')
  const say = useToast()
  const end = useDeed('DELETE /sessions/{sessionId}', {
    refreshes: ['GET /sessions'],
    onDone: () => say('The session has ended'),
  })
  const columns: readonly Column<Session>[] = [
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
      cell: ({ sessionId, current, userAgent }) =>
        current ? null : (
          <Button
            kind="quiet"
            busy={end.isPending && end.variables.params.sessionId === sessionId}
            aria-label={`End session of ${browserText(userAgent)}`}
            onClick={() => end.mutate({ params: { sessionId } })}
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
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {end.error === null ? null : <ErrorPanel error={end.error} />}
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
    </section>
  )
}
