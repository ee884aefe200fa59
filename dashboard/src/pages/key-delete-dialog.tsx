import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Short } from '../parts/short.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import type { KeyInfo } from './keys.tsx'

/** Asks before a key goes, and says when it was used last. */
export function DeleteKeyDialog({ apiKey, onClose }: { apiKey: KeyInfo; onClose: () => void }) {
  const say = useToast()
  const { keyId, name, lastFour, lastUsedAt } = apiKey
  const remove = useDeed('DELETE /keys/{keyId}', {
    refreshes: ['GET /keys', 'GET /usage'],
    onDone: () => {
      say(`Key “${name}” was deleted`)
      onClose()
    },
  })
  return (
    <Dialog
      title="Delete this key?"
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { keyId } })}
        >
          Delete key
        </Button>
      }
    >
      <p>Whatever uses it is refused from the next second on. This cannot be taken back.</p>
      <Facts
        facts={[
          { name: 'Name', value: name },
          { name: 'Id', value: <Short text={keyId} what="key id" /> },
          { name: 'Ends in', value: <span className="font-mono">{lastFour}</span> },
          {
            name: 'Last used',
            value: lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />,
          },
        ]}
      />
      {remove.error === null ? null : <ErrorPanel error={remove.error} />}
    </Dialog>
  )
}
