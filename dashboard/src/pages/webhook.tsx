import { useState } from 'react'
import { useAnswer } from '../api/use-answer.ts'
import { useDeed } from '../api/use-deed.ts'
import { useMay } from '../app/session.tsx'
import { usePathPart } from '../app/use-path-part.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Deadline } from '../parts/deadline.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { DeleteWebhookDialog, RotateWebhookDialog } from './webhook-dialogs.tsx'
import { WebhookStatusBadge } from './webhooks.tsx'
import type { WebhookInfo } from './webhooks.tsx'

/** One webhook: how it does, what it was sent and what it answered. */
export function Page() {
  const webhookId = usePathPart('webhookId')
  const mayChange = useMay('write')
  const read = useAnswer('GET /webhooks/{webhookId}', { params: { webhookId } })
  const { data, error } = read
  return (
    <>
      <p className="mb-2">
        <PageLink to="/webhooks">All webhooks</PageLink>
      </p>
      <PageHeader
        title="Webhook"
        actions={mayChange && data !== undefined ? <Deeds webhook={data} /> : undefined}
      >
        {data === undefined ? null : (
          <span className="inline-flex items-center gap-1">
            <span className="break-all">{data.url}</span>
            <CopyButton text={data.url} what="address" />
          </span>
        )}
      </PageHeader>
      <ReadFault of={read} />
      {data !== undefined ? (
        <div className="space-y-4">
          <WebhookFacts webhook={data} />
          <WebhookDeliveries webhookId={webhookId} />
        </div>
      ) : error === null ? (
        <Skeleton className="h-64 w-full" />
      ) : null}
    </>
  )
}

function WebhookFacts({ webhook }: { webhook: WebhookInfo }) {
  const { webhookId, status, types, failingSince, pausedAt, pauseReason } = webhook
  const until = webhook.previousSecretExpiresAt
  return (
    <Card title="Facts">
      <Facts
        facts={[
          { name: 'Status', value: <WebhookStatusBadge status={status} /> },
          ...(pausedAt === null
            ? []
            : [
                {
                  name: 'Paused',
                  value: (
                    <>
                      <Time at={pausedAt} />,{' '}
                      {pauseReason === 'gone'
                        ? 'because it answered that it is gone'
                        : 'because it failed for a day'}
                      . What is due waits until you resume it.
                    </>
                  ),
                },
              ]),
          ...(failingSince === null
            ? []
            : [{ name: 'Failing since', value: <Time at={failingSince} /> }]),
          { name: 'Events', value: types.length === 0 ? 'all' : types.join(', ') },
          ...(webhook.description === null
            ? []
            : [{ name: 'Description', value: webhook.description }]),
          ...(until === null
            ? []
            : [{ name: 'Old secret signs until', value: <Deadline at={until} /> }]),
          { name: 'Webhook', value: <Short text={webhookId} what="webhook id" /> },
          { name: 'Created', value: <Time at={webhook.createdAt} /> },
        ]}
      />
    </Card>
  )
}

function Deeds({ webhook }: { webhook: WebhookInfo }) {
  const { webhookId, status } = webhook
  const say = useToast()
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null)
  const change = useDeed('PATCH /webhooks/{webhookId}', {
    refreshes: ['GET /webhooks', 'GET /webhooks/{webhookId}', 'GET /overview'],
    onDone: (answer) =>
      say(answer.enabled ? 'Events are sent again' : 'Nothing is sent until you resume it'),
  })
  const test = useDeed('POST /webhooks/{webhookId}/test', {
    refreshes: ['GET /webhooks/{webhookId}/deliveries'],
    onDone: () => say('A test event is on its way'),
  })
  const fail = change.error ?? test.error
  const close = () => setAsked(null)
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate({ params: { webhookId } })}>
        Send test event
      </Button>
      <Button
        busy={change.isPending}
        onClick={() =>
          change.mutate({ params: { webhookId }, body: { enabled: status !== 'active' } })
        }
      >
        {status === 'active' ? 'Pause webhook' : 'Resume webhook'}
      </Button>
      <Button onClick={() => setAsked('rotate')}>Rotate secret</Button>
      <Button kind="danger" onClick={() => setAsked('delete')}>
        Delete webhook
      </Button>
      {fail === null ? null : <ErrorPanel error={fail} />}
      {asked === 'rotate' ? <RotateWebhookDialog webhookId={webhookId} onClose={close} /> : null}
      {asked === 'delete' ? <DeleteWebhookDialog webhook={webhook} onClose={close} /> : null}
    </>
  )
}
