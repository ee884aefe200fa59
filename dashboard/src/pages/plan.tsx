import { useState } from 'react'
import { useAnswer } from '../api/use-answer.ts'
import { usePathPart } from '../app/use-path-part.ts'
import { limitText } from '../format/limit-text.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { PlanExceptions } from './plan-exceptions.tsx'
import { PlanLimitsDialog } from './plan-limits-dialog.tsx'
import type { PlanFacts } from './plans.tsx'

/** One plan: what it allows, and where it differs from the endpoint table. */
export function Page() {
  const name = usePathPart('plan')
  const read = useAnswer('GET /operator/plans')
  const { data, error } = read
  const plan = data?.plans.find((each) => each.plan === name)
  return (
    <>
      <p className="mb-2">
        <PageLink to="/plans">All plans</PageLink>
      </p>
      <PageHeader title={`Plan ${name}`} />
      <ReadFault of={read} />
      {plan !== undefined ? (
        <div className="space-y-4">
          <Limits plan={plan} />
          <PlanExceptions plan={plan} />
        </div>
      ) : data !== undefined ? (
        <Empty title="There is no such plan">The plans are listed under Plans.</Empty>
      ) : error === null ? (
        <div className="space-y-4">
          <Skeleton className="h-48 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      ) : null}
    </>
  )
}

function Limits({ plan }: { plan: PlanFacts }) {
  const [isAsking, setAsking] = useState(false)
  const { accounts, requestsPerMinute, eventSockets, socketMessagesPerSecond } = plan
  return (
    <Card
      title="Limits"
      actions={
        <Button kind="quiet" onClick={() => setAsking(true)}>
          Edit limits
        </Button>
      }
    >
      <Facts
        facts={[
          {
            name: 'Accounts',
            value: accounts === 0 ? <Badge>nobody has it</Badge> : limitText(accounts),
          },
          {
            name: 'Requests per minute',
            value: `${limitText(requestsPerMinute)} for each key`,
          },
          { name: 'Event sockets', value: `${limitText(eventSockets)} open at once` },
          {
            name: 'Socket messages',
            value: `${limitText(socketMessagesPerSecond)} per second`,
          },
        ]}
      />
      {isAsking ? <PlanLimitsDialog plan={plan} onClose={() => setAsking(false)} /> : null}
    </Card>
  )
}
