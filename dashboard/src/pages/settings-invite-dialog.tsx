import { useId, useState } from 'react'
import { ROLES } from '@florin/wire/role.ts'
import type { Role } from '@florin/wire/role.ts'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'

const ABOUT: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: sees everything, changes nothing',
  developer: 'Developer: also pays, settles and manages keys',
  owner: 'Owner: also manages members',
}

/** Asks who is invited as what, and shows once the link that signs them in. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const [idempotencyKey] = useState(newKey)
  const invite = useDeed('POST /members', { refreshes: ['GET /members', 'GET /audit'] })
  const form = useId()
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
    <Dialog
      title="Invite a member"
      onClose={onClose}
      actions={
        <Button type="submit" form={form} kind="primary" busy={invite.isPending}>
          Invite member
        </Button>
      }
    >
      <form
        id={form}
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          const named = name.trim() === '' ? {} : { name: name.trim() }
          invite.mutate({ body: { email: email.trim(), role, ...named }, idempotencyKey })
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
        {invite.error === null ? null : <ErrorPanel error={invite.error} />}
      </form>
    </Dialog>
  )
}
