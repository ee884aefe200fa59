import { useState } from 'react'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { KeyShownOnce } from './key-shown-once.tsx'

/** Makes a key for the code below. The page itself pays with the session and needs none. */
export function FirstPaymentKey({
  apiKey,
  onKey,
}: {
  apiKey: string | null
  onKey: (key: string | null) => void
}) {
  const [idempotencyKey] = useState(newKey)
  const create = useDeed('POST /keys', {
    refreshes: ['GET /keys'],
    onDone: ({ key }) => onKey(key),
  })
  if (create.data !== undefined) return <KeyShownOnce text={apiKey} />
  return (
    <div className="space-y-3">
      <p className="max-w-prose">
        Your program sends it with every request. You can do this later: the form below pays with
        your session.
      </p>
      <Button
        icon="keys"
        busy={create.isPending}
        onClick={() =>
          create.mutate({
            body: { name: 'First payment', scopes: ['read', 'write'] },
            idempotencyKey,
          })
        }
      >
        Generate key
      </Button>
      {create.error === null ? null : <ErrorPanel error={create.error} />}
    </div>
  )
}
