import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/**
 * The way from a row to the page of what it shows, in a column that is placed as `whole`: a link in the row, and on a narrow screen all of
 * the row's card, with its text for screen readers alone.
 */
export function RowLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      className="font-medium text-brand-strong underline underline-offset-4 max-sm:absolute max-sm:inset-0 max-sm:focus-visible:-outline-offset-2"
    >
      <span className="max-sm:sr-only">{children}</span>
      <Icon
        name="more"
        className="size-4 text-soft max-sm:absolute max-sm:top-1/2 max-sm:right-3 max-sm:-translate-y-1/2 sm:hidden"
      />
    </Link>
  )
}
