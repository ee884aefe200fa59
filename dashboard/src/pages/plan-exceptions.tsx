import { useState } from 'react'
import { faultOf } from '../api/api-error.ts'
import { useDeed } from '../api/use-deed.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { useToast } from '../parts/toast.tsx'
import type { PlanFacts } from './plans.tsx'

type Exception = PlanFacts['exceptions'][number]

const CHOICES = [
  { value: 'included', label: 'the plan has it' },
  { value: 'excluded', label: 'the plan does not have it' },
] as const

/** Operations that a plan has, or has not, whatever the endpoint table says. */
export function PlanExceptions({ plan: { plan, exceptions } }: { plan: PlanFacts }) {
  const [operation, setOperation] = useState('')
  const [choice, setChoice] = useState('included')
  const say = useToast()
  const change = useDeed('PATCH /operator/plans/{plan}', {
    refreshes: ['GET /operator/plans', 'GET /operator/audit'],
    onDone: (answer) => {
      say(`The plan ${answer.plan} was changed`)
      setOperation('')
    },
  })
  // One alone: another operator may be at another one.
  const save = (name: string, included: boolean | null) =>
    change.mutate({ params: { plan }, body: { exception: { operation: name, included } } })
  const columns: readonly Column<Exception>[] = [
    {
      header: 'Operation',
      cell: (each) => <span className="font-mono text-[0.8125rem]">{each.operation}</span>,
    },
    {
      header: 'In the plan',
      cell: ({ included }) =>
        included ? <Badge tone="good">included</Badge> : <Badge tone="bad">not included</Badge>,
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      cell: (each) => (
        <Button
          kind="quiet"
          busy={change.isPending}
          aria-label={`Remove exception ${each.operation}`}
          onClick={() => save(each.operation, null)}
        >
          Remove
        </Button>
      ),
    },
  ]
  return (
    <Card title="Exceptions">
      <div className="space-y-4">
        <p className="max-w-prose text-soft">
          Every operation says itself which plan has it. Here a plan has more, or less.
        </p>
        {exceptions.length === 0 ? null : (
          <Table
            caption="Exceptions"
            columns={columns}
            rows={exceptions}
            rowKey={(each) => each.operation}
          />
        )}
        <form
          className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]"
          onSubmit={(event) => {
            event.preventDefault()
            save(operation.trim(), choice === 'included')
          }}
        >
          <Field
            label="Operation"
            placeholder="buyToken"
            required
            maxLength={64}
            value={operation}
            fault={faultOf(change.error, 'exception')}
            onChange={({ target }) => setOperation(target.value)}
          />
          <Select label="In the plan" choices={CHOICES} value={choice} onChoose={setChoice} />
          <Button type="submit" busy={change.isPending}>
            Add exception
          </Button>
        </form>
        {change.error === null ? null : <ErrorPanel error={change.error} />}
      </div>
    </Card>
  )
}
