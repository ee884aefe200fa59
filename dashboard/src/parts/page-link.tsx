import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link inside a sentence, to another page of the dashboard. */
export function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-medium text-brand-strong underline underline-offset-4">
      {children}
    </Link>
  )
}
