import { useId, useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/**
 * A question in front of the page: the browser's own dialog, which keeps the focus inside, closes with Escape and gives the focus back.
 * It is open as long as it is there.
 */
export function Dialog({
  title,
  onClose,
  children,
  actions,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  /** Buttons at its end, beside the one that closes it. */
  actions?: ReactNode
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the page is drawn without it: closed while it is still there, it gives the focus back; taken away open, it loses it.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null || dialog.open) return undefined
    dialog.showModal()
    return () => dialog.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-lg border border-line bg-surface p-0 text-ink shadow-xl"
    >
      <div className="space-y-4 p-5">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {children}
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Button onClick={onClose}>{actions === undefined ? 'Close' : 'Cancel'}</Button>
          {actions}
        </div>
      </div>
    </dialog>
  )
}
