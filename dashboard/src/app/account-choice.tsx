import { useQueryClient } from '@tanstack/react-query'
import { useDeed } from '../api/use-deed.ts'
import { inputStyle } from '../parts/field.tsx'
import { setSession } from './session.tsx'
import type { Session } from './session.tsx'

/** The account that everything on the page is about; a choice when this person is in more than one. */
export function AccountChoice({ session }: { session: Session }) {
  const client = useQueryClient()
  const select = useDeed('PUT /session/account', {
    onDone: (answer) => setSession(client, answer),
  })
  const { accounts, selected } = session
  if (accounts.length < 2) {
    return selected === null ? null : (
      <p className="shrink-0 truncate px-2.5 font-medium" title={selected.name}>
        {selected.name}
      </p>
    )
  }
  return (
    <select
      aria-label="Account"
      className={inputStyle}
      value={selected?.accountId ?? ''}
      disabled={select.isPending}
      onChange={({ target }) => select.mutate({ body: { accountId: target.value } })}
    >
      {accounts.map(({ accountId, name }) => (
        <option key={accountId} value={accountId}>
          {name}
        </option>
      ))}
    </select>
  )
}
