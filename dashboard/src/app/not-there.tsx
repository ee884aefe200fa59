import { Link } from '@tanstack/react-router'
import { buttonStyle } from '../parts/button.tsx'
import { PageHeader } from '../parts/page-header.tsx'

/** For addresses that no page has. */
export function NotThere() {
  return (
    <main className="mx-auto max-w-xl p-6">
      <PageHeader title="There is nothing here">
        The address may be misspelled, or what was here is gone.
      </PageHeader>
      <Link to="/" className={buttonStyle('primary')}>
        Overview
      </Link>
    </main>
  )
}
