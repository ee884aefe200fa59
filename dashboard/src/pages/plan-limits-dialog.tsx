import { useState } from 'react'
import { faultOf } from '../api/api-error.ts'
import { useDeed } from '../api/use-deed.ts'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useToast } from '../parts/toast.tsx'
import type { PlanFacts } from './plans.tsx'

const LIMITS = [
  { field: 'requestsPerMinute', label: 'Requests per minute', hint: 'Of each key.' },
  { field: 'eventSockets', label: 'Event sockets', hint: 'Open at once, of an account.' },
  {
    field: 'socketMessagesPerSecond',
    label: 'Socket messages per second',
    hint: 'Of all sockets of an account.',
  },
] as const

/** Changes what a plan allows; an empty limit is none. */
export function PlanLimitsDialog({ plan, onClose }: { plan: PlanFacts; onClose: () => void }) {
  const say = useToast()
  const [texts, setTexts] = useState({
    requestsPerMinute: plan.requestsPerMinute?.toString() ?? '',
    eventSockets: plan.eventSockets?.toString() ?? '',
    socketMessagesPerSecond: plan.socketMessagesPerSecond?.toString() ?? '',
  })
  const change = useDeed('PATCH /operator/plans/{plan}', {
    refreshes: ['GET /operator/plans', 'GET /operator/audit', 'GET /usage'],
    onDone: (answer) => {
      say(`The plan ${answer.plan} was changed`)
      onClose()
    },
  })
  const limitOf = (text: string) => (text === '' ? null : Number(text))
  return (
    <FormDialog
      title={`Limits of the plan ${plan.plan}`}
      submit="Save limits"
      busy={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() => {
        change.mutate({
          params: { plan: plan.plan },
          body: {
            requestsPerMinute: limitOf(texts.requestsPerMinute),
            eventSockets: limitOf(texts.eventSockets),
            socketMessagesPerSecond: limitOf(texts.socketMessagesPerSecond),
          },
        })
      }}
    >
      {LIMITS.map(({ field, label, hint }) => (
        <Field
          key={field}
          label={label}
          hint={`${hint} Unlimited when empty.`}
          type="number"
          min={1}
          step={1}
          value={texts[field]}
          fault={faultOf(change.error, field)}
          onChange={({ target }) => setTexts({ ...texts, [field]: target.value })}
        />
      ))}
    </FormDialog>
  )
}
