import { useId } from 'react'
import type { ReactNode } from 'react'

/** A part of a page with a name of its own. */
export function Card({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-lg border border-line bg-surface">
      <div className="flex min-h-13 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        <h2 id={id} className="min-w-0 font-semibold break-words">
          {title}
        </h2>
        {actions}
      </div>
      <div className="p-4">{children}</div>
    </section>
  )
}
