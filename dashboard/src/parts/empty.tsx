import type { ReactNode } from 'react'

/** In place of a list that has nothing yet: what would be here, and how it comes here. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="rounded-lg border border-dashed border-edge bg-surface px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children === undefined ? null : (
        <div className="mx-auto mt-1 max-w-prose text-soft">{children}</div>
      )}
      {action === undefined || action === null ? null : <div className="mt-4">{action}</div>}
    </div>
  )
}
