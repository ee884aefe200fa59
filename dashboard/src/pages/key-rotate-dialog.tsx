import { useState } from 'react'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Select } from '../parts/select.tsx'
import type { KeyInfo } from './keys.tsx'
import { KeyShownOnce } from './key-shown-once.tsx'

const OVERLAPS = [
  { value: '', label: 'Until I delete it' },
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '0', label: 'Not at all' },
]

/** Makes a key that takes the place of another, which may work on for a while. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: KeyInfo; onClose: () => void }) {
  const [overlap, setOverlap] = useState('')
  const [idempotencyKey] = useState(newKey)
  const rotate = useDeed('POST /keys/{keyId}/rotate', { refreshes: ['GET /keys', 'GET /usage'] })
  if (rotate.data !== undefined) {
    return (
      <Dialog title={`The successor of “${apiKey.name}”`} onClose={onClose}>
        <KeyShownOnce text={rotate.data.key} />
      </Dialog>
    )
  }
  const { keyId } = apiKey
  return (
    <Dialog
      title={`Rotate key “${apiKey.name}”`}
      onClose={onClose}
      actions={
        <Button
          kind="primary"
          busy={rotate.isPending}
          onClick={() =>
            rotate.mutate({
              params: { keyId },
              body: overlap === '' ? {} : { previousValidSeconds: Number(overlap) },
              idempotencyKey,
            })
          }
        >
          Rotate key
        </Button>
      }
    >
      <p>A new key with the same name and scopes is made and shown once.</p>
      <Select
        label="The old key works on"
        choices={OVERLAPS}
        value={overlap}
        onChoose={setOverlap}
      />
      {rotate.error === null ? null : <ErrorPanel error={rotate.error} />}
    </Dialog>
  )
}
