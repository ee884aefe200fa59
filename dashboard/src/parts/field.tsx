import { useId } from 'react'
import type { ComponentProps, ReactNode } from 'react'

export const inputStyle =
  'block w-full min-h-9 rounded-md border border-edge bg-surface px-2.5 py-1.5 text-ink placeholder:text-soft aria-invalid:border-bad disabled:opacity-60'

/** What a label, a hint and a complaint around an input have in common. */
export function FieldFrame({
  id,
  label,
  hint,
  fault,
  children,
}: {
  id: string
  label: ReactNode
  hint?: ReactNode
  fault?: string | undefined
  children: ReactNode
}) {
  return (
    <div className="space-y-1">
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      {children}
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className="text-bad">
          {fault}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-soft">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Ids of what describes an input, for aria-describedby. */
export function describedBy(id: string, hint: unknown, fault: unknown): string | undefined {
  const ids = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ]
  return ids.length === 0 ? undefined : ids.join(' ')
}

/** One line to write in, with its label. `fault` is what is wrong with it. */
export function Field({
  label,
  hint,
  fault,
  className = '',
  ...rest
}: Omit<ComponentProps<'input'>, 'id'> & {
  label: ReactNode
  hint?: ReactNode
  fault?: string | undefined
}) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} hint={hint} fault={fault}>
      <input
        {...rest}
        id={id}
        aria-invalid={fault !== undefined}
        aria-describedby={describedBy(id, hint, fault)}
        className={`${inputStyle} ${className}`}
      />
    </FieldFrame>
  )
}
