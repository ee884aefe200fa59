import { useQueryClient } from '@tanstack/react-query'
import { useDeed } from '../api/use-deed.ts'
import { setSession, useSession } from '../app/session.tsx'
import { browserText } from '../format/browser-text.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { OnlyWayIn } from './settings-only-way-in.tsx'
import type { SessionInfo } from './settings-sessions.tsx'

/** Asks before a session ends, and says whom that signs out: of this page it is the reader, who may have no way to come back. */
export function EndSessionDialog({
  session: { sessionId, current, userAgent, address, method, lastSeenAt },
  hasPasskey,
  onClose,
}: {
  session: SessionInfo
  /** Undefined while nobody knows. */
  hasPasskey: boolean | undefined
  onClose: () => void
}) {
  const say = useToast()
  const client = useQueryClient()
  const { member } = useSession()
  const end = useDeed('DELETE /sessions/{sessionId}', {
    refreshes: ['GET /sessions'],
    onDone: () => {
      say('The session has ended')
      onClose()
    },
  })
  // The answer takes the browser's cookie along, which that of any other session must not.
  const signOut = useDeed('DELETE /session', { onDone: () => setSession(client, null) })
  const error = end.error ?? signOut.error
  return (
    <Dialog
      title={current ? 'End the session of this page?' : 'End this session?'}
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={end.isPending || signOut.isPending}
          onClick={() => (current ? signOut.mutate({}) : end.mutate({ params: { sessionId } }))}
        >
          End session
        </Button>
      }
    >
      <p>
        {current
          ? 'You are signed out here at once, in every tab of this browser.'
          : 'That browser is signed out within a second, and what was not sent there yet is lost.'}{' '}
        API keys go on.
      </p>
      {current && !member.hasPassword && hasPasskey === false ? (
        <OnlyWayIn what="You have no password and no passkey to sign in by again." />
      ) : null}
      <Facts
        facts={[
          { name: 'Browser', value: browserText(userAgent) },
          { name: 'From', value: address },
          { name: 'Signed in by', value: method },
          { name: 'Last seen', value: <Time at={lastSeenAt} /> },
        ]}
      />
      {error === null ? null : <ErrorPanel error={error} />}
    </Dialog>
  )
}
