import { useId } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorPanel } from './error-panel.tsx'

/** A dialog that asks for something: its fields, what the service said of them, and a button at its end that sends them. */
export function FormDialog({
  title,
  submit,
  busy,
  error,
  onSubmit,
  onClose,
  isDisabled = false,
  beside,
  children,
}: {
  title: string
  /** What the button says that it does. */
  submit: string
  busy: boolean
  /** Why the last time failed. */
  error: unknown
  onSubmit: () => void
  onClose: () => void
  /** Nothing can be sent yet. */
  isDisabled?: boolean
  /** Buttons before the one that sends. */
  beside?: ReactNode
  children: ReactNode
}) {
  const form = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {beside}
          <Button type="submit" form={form} kind="primary" busy={busy} disabled={isDisabled}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        {error === null ? null : <ErrorPanel error={error} />}
      </form>
    </Dialog>
  )
}
