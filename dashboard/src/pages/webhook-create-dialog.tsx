import { useState } from 'react'
import { ACCOUNT_EVENTS } from '@florin/wire/event-types.ts'
import type { AccountEventType } from '@florin/wire/event-types.ts'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

const TYPES = Object.keys(ACCOUNT_EVENTS).filter((type): type is AccountEventType =>
  Object.hasOwn(ACCOUNT_EVENTS, type),
)
const ABOUT: Readonly<Record<AccountEventType, string>> = {
  payment: 'a payment came a step further',
  verification: 'a proof was verified',
  settlement: 'a proof was settled, or was not',
  escrowCall: 'a deposit, claim, settlement or refund of batch-settlement',
  webhook: 'a webhook was paused',
}

/** Asks where events go, and shows once what signs them. */
export function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [types, setTypes] = useState<readonly AccountEventType[]>(TYPES)
  const [idempotencyKey] = useState(newKey)
  const create = useDeed('POST /webhooks', { refreshes: ['GET /webhooks', 'GET /usage'] })
  if (create.data !== undefined) {
    return (
      <Dialog title="The webhook was created" onClose={onClose}>
        <WebhookSecret secret={create.data.secret} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="Create a webhook"
      submit="Create webhook"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      isDisabled={types.length === 0}
      onSubmit={() => {
        const some = types.length === TYPES.length ? {} : { types: [...types] }
        const said = description.trim()
        const named = said === '' ? {} : { description: said }
        create.mutate({ body: { url, ...some, ...named }, idempotencyKey })
      }}
    >
      <Field
        label="Address"
        type="url"
        required
        placeholder="https://example.com/florin"
        value={url}
        fault={faultOf(create.error, 'url')}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Field
        label="Description"
        hint="What you call it. It can be left out."
        maxLength={200}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <fieldset className="space-y-1.5">
        <legend className="font-medium">It is told when</legend>
        {TYPES.map((type) => (
          <label key={type} className="flex items-center gap-2.5">
            <input
              type="checkbox"
              className="size-4 accent-brand"
              checked={types.includes(type)}
              onChange={({ target }) =>
                setTypes(
                  TYPES.filter((each) => (each === type ? target.checked : types.includes(each))),
                )
              }
            />
            <span>
              <span className="font-medium">{type}</span>{' '}
              <span className="text-soft">{ABOUT[type]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  )
}
