import { useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Select } from '../parts/select.tsx'
import { useToast } from '../parts/toast.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import type { WebhookInfo } from './webhooks.tsx'

const OVERLAPS = [
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '0', label: 'Not at all' },
]

/** Gives a webhook a new secret; the old one may sign beside it for a while. */
export function RotateWebhookDialog({
  webhookId,
  onClose,
}: {
  webhookId: string
  onClose: () => void
}) {
  const [overlap, setOverlap] = useState('86400')
  const [idempotencyKey] = useState(newKey)
  const rotate = useDeed('POST /webhooks/{webhookId}/rotate', {
    refreshes: ['GET /webhooks/{webhookId}'],
  })
  if (rotate.data !== undefined) {
    return (
      <Dialog title="The new secret" onClose={onClose}>
        <WebhookSecret secret={rotate.data.secret} />
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Rotate the secret"
      onClose={onClose}
      actions={
        <Button
          kind="primary"
          busy={rotate.isPending}
          onClick={() =>
            rotate.mutate({
              params: { webhookId },
              body: { previousValidSeconds: Number(overlap) },
              idempotencyKey,
            })
          }
        >
          Rotate secret
        </Button>
      }
    >
      <p>Requests carry the signatures of both secrets while the old one is good.</p>
      <Select
        label="The old secret signs on"
        choices={OVERLAPS}
        value={overlap}
        onChoose={setOverlap}
      />
      {rotate.error === null ? null : <ErrorPanel error={rotate.error} />}
    </Dialog>
  )
}

/** Asks before a webhook goes with what waits for it. */
export function DeleteWebhookDialog({
  webhook: { webhookId, url },
  onClose,
}: {
  webhook: WebhookInfo
  onClose: () => void
}) {
  const say = useToast()
  const navigate = useNavigate()
  const remove = useDeed('DELETE /webhooks/{webhookId}', {
    refreshes: ['GET /webhooks', 'GET /usage'],
    onDone: () => {
      say('The webhook was deleted')
      void navigate({ to: '/webhooks' })
    },
  })
  return (
    <Dialog
      title="Delete this webhook?"
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { webhookId } })}
        >
          Delete webhook
        </Button>
      }
    >
      <p>
        Nothing more is sent to <span className="break-all">{url}</span>, and what waits for it and
        its log are gone.
      </p>
      {remove.error === null ? null : <ErrorPanel error={remove.error} />}
    </Dialog>
  )
}
