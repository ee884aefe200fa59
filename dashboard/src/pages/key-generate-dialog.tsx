import { useState } from 'react'
import { ROLE_SCOPES } from '@florin/wire/role.ts'
import type { Scope } from '@florin/wire/plan.ts'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useDeed } from '../api/use-deed.ts'
import { useSession } from '../app/session.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Select } from '../parts/select.tsx'
import { KeyShownOnce } from './key-shown-once.tsx'

const ABOUT: Readonly<Record<Scope, string>> = {
  read: 'see payments, wallets and events',
  write: 'pay from wallets',
  settle: 'verify and settle what buyers sent',
  trade: 'buy and sell tokens',
  admin: 'manage keys and read the audit log',
}
const DAY_MILLISECONDS = 86_400_000
const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

/** Asks what a new key is for and what it may do, and shows it once. */
export function GenerateKeyDialog({ onClose }: { onClose: () => void }) {
  const { selected } = useSession()
  const allowed = ROLE_SCOPES[selected?.role ?? 'viewer']
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write'])
  const [days, setDays] = useState('')
  // One for the whole dialog: a second press makes no second key.
  const [idempotencyKey] = useState(newKey)
  const create = useDeed('POST /keys', { refreshes: ['GET /keys', 'GET /usage'] })
  if (create.data !== undefined) {
    return (
      <Dialog title={`Key “${create.data.name}” was generated`} onClose={onClose}>
        <KeyShownOnce text={create.data.key} />
      </Dialog>
    )
  }
  return (
    <FormDialog
      title="Generate an API key"
      submit="Generate key"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => {
        const expiresAt =
          days === '' ? {} : { expiresAt: Date.now() + Number(days) * DAY_MILLISECONDS }
        create.mutate({ body: { name, scopes: [...scopes], ...expiresAt }, idempotencyKey })
      }}
    >
      <Field
        label="Name"
        hint="What the key is for, such as the program that will use it."
        required
        maxLength={100}
        value={name}
        fault={faultOf(create.error, 'name')}
        onChange={({ target }) => setName(target.value)}
      />
      <ScopeChoice allowed={allowed} chosen={scopes} onChoose={setScopes} />
      <Select label="Expires" choices={EXPIRIES} value={days} onChoose={setDays} />
    </FormDialog>
  )
}

function ScopeChoice({
  allowed,
  chosen,
  onChoose,
}: {
  allowed: readonly Scope[]
  chosen: readonly Scope[]
  onChoose: (scopes: readonly Scope[]) => void
}) {
  return (
    <fieldset className="space-y-1.5">
      <legend className="font-medium">It may</legend>
      {allowed.map((scope) => (
        <label key={scope} className="flex items-center gap-2.5">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-brand"
            checked={chosen.includes(scope)}
            onChange={({ target }) =>
              onChoose(
                allowed.filter((each) => (each === scope ? target.checked : chosen.includes(each))),
              )
            }
          />
          <span>
            <span className="font-medium">{scope}</span>{' '}
            <span className="text-soft">{ABOUT[scope]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
