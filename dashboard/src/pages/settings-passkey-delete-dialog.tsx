import { useDeed } from '../api/use-deed.ts'
import { useSession } from '../app/session.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { OnlyWayIn } from './settings-only-way-in.tsx'
import type { Passkey } from './settings-passkeys.tsx'

/** Asks before a passkey goes, and says so where it is the last way in. */
export function DeletePasskeyDialog({
  passkey: { passkeyId, name, createdAt, lastUsedAt },
  isLast,
  onClose,
}: {
  passkey: Passkey
  /** There is no other. */
  isLast: boolean
  onClose: () => void
}) {
  const say = useToast()
  const { member } = useSession()
  const remove = useDeed('DELETE /me/passkeys/{passkeyId}', {
    refreshes: ['GET /me/passkeys', 'GET /session'],
    onDone: () => {
      say('The passkey was deleted')
      onClose()
    },
  })
  return (
    <Dialog
      title="Delete this passkey?"
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { passkeyId } })}
        >
          Delete passkey
        </Button>
      }
    >
      <p>
        It signs nobody in any more, and this cannot be taken back. Sessions that it opened go on.
        {isLast && member.hasPassword
          ? ' It is your last passkey: from then on you sign in by your password.'
          : null}
      </p>
      {isLast && !member.hasPassword ? (
        <OnlyWayIn what="It is your only way to sign in: you have no password and no other passkey." />
      ) : null}
      <Facts
        facts={[
          { name: 'Name', value: name },
          { name: 'Made', value: <Time at={createdAt} /> },
          { name: 'Last used', value: lastUsedAt === null ? 'never' : <Time at={lastUsedAt} /> },
        ]}
      />
      {remove.error === null ? null : <ErrorPanel error={remove.error} />}
    </Dialog>
  )
}
