import { useId } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { describedBy, FieldFrame, inputStyle } from './field.tsx'

export interface Choice {
  readonly value: string
  readonly label: string
}

/** One of some choices, with its label. */
export function Select({
  label,
  hint,
  fault,
  choices,
  onChoose,
  ...rest
}: Omit<ComponentProps<'select'>, 'id' | 'onChange' | 'children'> & {
  label: ReactNode
  hint?: ReactNode
  fault?: string | undefined
  choices: readonly Choice[]
  onChoose: (value: string) => void
}) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} hint={hint} fault={fault}>
      <select
        {...rest}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, hint, fault)}
        onChange={({ target }) => onChoose(target.value)}
        className={inputStyle}
      >
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}
