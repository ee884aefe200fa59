import { useEffect } from 'react'
import type { ReactNode } from 'react'

/** The head of every page: its name, a sentence about it, what can be done. Names the window, too. */
export function PageHeader({
  title,
  children,
  actions,
}: {
  title: string
  children?: ReactNode
  actions?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Florin`
  }, [title])
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {/* Whoever comes from another page begins here. */}
        <h1 tabIndex={-1} className="text-xl font-semibold outline-none">
          {title}
        </h1>
        {children === undefined ? null : <p className="mt-0.5 max-w-prose text-soft">{children}</p>}
      </div>
      {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
