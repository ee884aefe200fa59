import { useState } from 'react'
import { ROLES } from '@florin/wire/role.ts'
import type { Role } from '@florin/wire/role.ts'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Select } from '../parts/select.tsx'
import type { Account } from './accounts.tsx'

const ABOUT: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: sees everything, changes nothing',
  developer: 'Developer: also pays, settles and manages keys',
  owner: 'Owner: also manages members',
}

/** Asks who is invited as what into the account of the session, and shows once the link that signs them in. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useDeed('POST /members', { refreshes: ['GET /members', 'GET /audit'] })
  return (
    <InviteForm
      title="Invite a member"
      first="developer"
      invite={invite}
      onInvite={(body, idempotencyKey) => invite.mutate({ body, idempotencyKey })}
      onClose={onClose}
    />
  )
}

/** The same for an account of others, as an operator. */
export function InviteIntoDialog({
  account: { accountId, name },
  onClose,
}: {
  account: Pick<Account, 'accountId' | 'name'>
  onClose: () => void
}) {
  const invite = useDeed('POST /operator/accounts/{accountId}/members', {
    refreshes: ['GET /operator/accounts'],
  })
  return (
    <InviteForm
      title={`Invite a member of ${name}`}
      first="owner"
      invite={invite}
      onInvite={(body) => invite.mutate({ params: { accountId }, body })}
      onClose={onClose}
    />
  )
}

function InviteForm({
  title,
  first,
  invite,
  onInvite,
  onClose,
}: {
  title: string
  first: Role
  invite: {
    readonly data: { readonly name: string; readonly link: string | null } | undefined
    readonly error: Error | null
    readonly isPending: boolean
  }
  onInvite: (body: { email: string; role: Role; name?: string }, idempotencyKey: string) => void
  onClose: () => void
}) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>(first)
  const [idempotencyKey] = useState(newKey)
  if (invite.data !== undefined) {
    const { link } = invite.data
    return (
      <Dialog title={`${invite.data.name} was invited`} onClose={onClose}>
        {link === null ? (
          <p>The link of this invitation cannot be shown again. Invite once more.</p>
        ) : (
          <div className="space-y-3">
            <p>Hand this link over: it signs in once, and nobody can show it again.</p>
            <div className="flex items-center gap-2 rounded-md border border-line bg-raised p-3">
              <code data-testid="invitation" className="grow font-mono text-[0.8125rem] break-all">
                {link}
              </code>
              <CopyButton text={link} what="link" />
            </div>
          </div>
        )}
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={title}
      submit="Invite member"
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={() => {
        const named = name.trim() === '' ? {} : { name: name.trim() }
        onInvite({ email: email.trim(), role, ...named }, idempotencyKey)
      }}
    >
      <Field
        label="Email"
        type="email"
        required
        value={email}
        fault={faultOf(invite.error, 'email')}
        onChange={({ target }) => setEmail(target.value)}
      />
      <Field
        label="Name"
        hint="It can be left out."
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Role"
        choices={ROLES.map((value) => ({ value, label: ABOUT[value] }))}
        value={role}
        onChoose={(value) => setRole(ROLES.find((each) => each === value) ?? 'viewer')}
      />
    </FormDialog>
  )
}
