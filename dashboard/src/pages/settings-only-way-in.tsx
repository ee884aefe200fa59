import { useSession } from '../app/session.tsx'

/** Says that nothing will sign this person in any more, and how they come back: docs/concepts/people.md. */
export function OnlyWayIn({ what }: { what: string }) {
  const { operator, sandbox, accounts } = useSession()
  return (
    <p className="rounded-lg border border-warn bg-warn-ground px-4 py-2.5">
      <strong>{what}</strong>{' '}
      {operator ? (
        sandbox ? (
          <>
            Then only the link that <code className="font-mono">florin up</code> printed signs you
            in.
          </>
        ) : (
          <>
            Then you come in only by a link of{' '}
            <code className="font-mono">florin operator-link</code>, on the machine that Florin runs
            on.
          </>
        )
      ) : accounts.length > 1 ? (
        'Then you come in only once the owners of all your accounts have removed you and one of them has invited you again.'
      ) : (
        'Then you come in only once an owner of the account has removed you and invited you again.'
      )}{' '}
      Set a password or add a passkey first.
    </p>
  )
}
