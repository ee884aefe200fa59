import { useQueryClient } from '@tanstack/react-query'
import { useDeed } from '../api/use-deed.ts'
import { Icon } from '../parts/icon.tsx'
import { setSession } from './session.tsx'

/** Ends the session. */
export function SignOutButton({ name, className }: { name: string; className: string }) {
  const client = useQueryClient()
  const signOut = useDeed('DELETE /session', { onDone: () => setSession(client, null) })
  return (
    <button
      type="button"
      className={className}
      title={`Signed in as ${name}`}
      disabled={signOut.isPending}
      onClick={() => signOut.mutate({})}
    >
      <Icon name="out" />
      Sign out
    </button>
  )
}
