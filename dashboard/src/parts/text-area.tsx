import { useId } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { describedBy, FieldFrame, inputStyle } from './field.tsx'

/** Several lines to write in, with their label. */
export function TextArea({
  label,
  hint,
  ...rest
}: Omit<ComponentProps<'textarea'>, 'id'> & { label: ReactNode; hint?: ReactNode }) {
  const id = useId()
  return (
    <FieldFrame id={id} label={label} hint={hint}>
      <textarea
        rows={3}
        {...rest}
        id={id}
        aria-describedby={describedBy(id, hint, undefined)}
        className={`${inputStyle} font-mono text-[0.8125rem]`}
      />
    </FieldFrame>
  )
}
