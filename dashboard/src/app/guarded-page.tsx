import type { ComponentType } from 'react'
import { Link } from '@tanstack/react-router'
import { buttonStyle } from '../parts/button.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import type { PageRow } from './pages.ts'
import { useSession } from './session.tsx'
import type { Session } from './session.tsx'

/** Whether a page is for this person, in the selected account. */
export function isFor(
  { operator, selected }: Pick<Session, 'operator' | 'selected'>,
  { for: whom }: Pick<PageRow, 'for'>,
): boolean {
  if (whom === 'operators') return operator
  if (selected === null) return false
  return whom === 'members' || whom.includes(selected.role)
}

/** A page that says to whom it is not for that it is not, instead of a form whose last step is refused. */
export function guardedPage(
  row: Pick<PageRow, 'for'>,
  Page: ComponentType & { preload?: () => Promise<void> },
) {
  function Guarded() {
    const session = useSession()
    return isFor(session, row) ? <Page /> : <NotForYou whom={row.for} session={session} />
  }
  return Object.assign(Guarded, { preload: async () => Page.preload?.() })
}

function NotForYou({ whom, session }: { whom: PageRow['for']; session: Session }) {
  return (
    <>
      <PageHeader title="This page is not for you">{reasonOf(whom, session)}</PageHeader>
      <Link to="/" className={buttonStyle('primary')}>
        Overview
      </Link>
    </>
  )
}

function reasonOf(whom: PageRow['for'], { selected }: Session): string {
  if (whom === 'operators') return 'It is for those who run this installation.'
  if (selected === null) return 'It is for the members of an account, and you are in none.'
  if (whom === 'members') return 'It is for the members of an account.'
  const roles = whom.map((role) => `${role}s`).join(' and ')
  return `It is for ${roles}. In ${selected.name} your role is ${selected.role}; an owner can change that.`
}
