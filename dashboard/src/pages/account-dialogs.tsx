import { useState } from 'react'
import { PLANS } from '@florin/wire/plan.ts'
import type { Plan } from '@florin/wire/plan.ts'
import { faultOf } from '../api/api-error.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Select } from '../parts/select.tsx'
import { useToast } from '../parts/toast.tsx'
import type { Account } from './accounts.tsx'

const PLAN_CHOICES = PLANS.map((value) => ({ value, label: value }))
const planOf = (text: string): Plan => PLANS.find((each) => each === text) ?? 'standard'

/** Makes an account. */
export function CreateAccountDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [plan, setPlan] = useState<Plan>('standard')
  const say = useToast()
  const create = useDeed('POST /operator/accounts', {
    refreshes: ['GET /operator/accounts'],
    onDone: (account) => {
      say(`${account.name} was created`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Create an account"
      submit="Create account"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => {
        create.mutate({ body: { name: name.trim(), plan } })
      }}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        value={name}
        fault={faultOf(create.error, 'name')}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Plan"
        choices={PLAN_CHOICES}
        value={plan}
        onChoose={(text) => setPlan(planOf(text))}
      />
    </FormDialog>
  )
}

/** Changes the plan and the limit of an account, or suspends it. */
export function ChangeAccountDialog({
  account,
  onClose,
}: {
  account: Account
  onClose: () => void
}) {
  const { accountId, suspendedAt } = account
  const [plan, setPlan] = useState<Plan>(account.plan)
  const [perMinute, setPerMinute] = useState(account.requestsPerMinute?.toString() ?? '')
  const say = useToast()
  const change = useDeed('PATCH /operator/accounts/{accountId}', {
    refreshes: ['GET /operator/accounts'],
    onDone: (answer) => {
      say(`${answer.name} was changed`)
      onClose()
    },
  })
  const params = { accountId }
  return (
    <FormDialog
      title={`Change ${account.name}`}
      submit="Save account"
      busy={change.isPending}
      error={change.error}
      onClose={onClose}
      beside={
        <Button
          kind="danger"
          busy={change.isPending}
          onClick={() => change.mutate({ params, body: { suspended: suspendedAt === null } })}
        >
          {suspendedAt === null ? 'Suspend account' : 'Let account be used'}
        </Button>
      }
      onSubmit={() => {
        const requestsPerMinute = perMinute === '' ? null : Number(perMinute)
        const limit = plan === 'enterprise' ? { requestsPerMinute } : {}
        change.mutate({ params, body: { plan, ...limit } })
      }}
    >
      <Select
        label="Plan"
        hint="Of the account, and of every key that it has."
        choices={PLAN_CHOICES}
        value={plan}
        onChoose={(text) => setPlan(planOf(text))}
      />
      {plan === 'enterprise' ? (
        <Field
          label="Requests per minute"
          hint="Of each key; what the plan says when empty."
          type="number"
          min={1}
          value={perMinute}
          fault={faultOf(change.error, 'requestsPerMinute')}
          onChange={({ target }) => setPerMinute(target.value)}
        />
      ) : null}
      <p className="text-soft">
        While an account is suspended no key and no session may use it. What was begun ends as
        usual.
      </p>
    </FormDialog>
  )
}
