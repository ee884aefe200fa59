import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { Badge } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { AccountChoice } from './account-choice.tsx'
import { Brand } from './brand.tsx'
import { useLiveState } from './live.tsx'
import { isFor } from './guarded-page.tsx'
import { PAGES } from './pages.ts'
import type { PageRow } from './pages.ts'
import type { Session } from './session.tsx'
import { SignOutButton } from './sign-out-button.tsx'
import { chooseTheme, currentTheme } from './theme.ts'

const quietButton =
  'flex min-h-9 w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-soft hover:bg-raised hover:text-ink'

/** The links to every page that is for this person, and what belongs to the visit. */
export function SideBar({ session }: { session: Session }) {
  const pages = PAGES.filter((row) => row.link !== undefined && isFor(session, row))
  const own = pages.filter((row) => row.for !== 'operators')
  const operators = pages.filter((row) => row.for === 'operators')
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <div className="flex items-center justify-between px-2.5 pt-1 max-lg:hidden">
        <Brand />
        {session.sandbox ? <Badge tone="brand">Sandbox</Badge> : null}
      </div>
      <AccountChoice session={session} />
      <nav aria-label="Pages" className="grow space-y-4">
        <Links rows={own} />
        {operators.length === 0 ? null : (
          <div>
            <p className="px-2.5 pb-1 text-xs font-medium text-soft">Installation</p>
            <Links rows={operators} />
          </div>
        )}
      </nav>
      <div className="space-y-0.5 border-t border-line pt-3">
        <LiveSign />
        <a href="/docs" className={quietButton}>
          <Icon name="events" />
          Documentation
        </a>
        <ThemeButton />
        <SignOutButton className={quietButton} name={session.member.name} />
      </div>
    </div>
  )
}

function Links({ rows }: { rows: readonly PageRow[] }) {
  return (
    <ul className="space-y-0.5">
      {rows.map(({ path, link }) =>
        link === undefined ? null : (
          <li key={path}>
            <Link
              to={path}
              activeOptions={{ exact: path === '/' }}
              className="flex min-h-9 items-center gap-2.5 rounded-md px-2.5 py-1.5 font-medium text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-brand-ground aria-[current=page]:text-brand-strong"
            >
              <Icon name={link.icon} />
              {link.name}
            </Link>
          </li>
        ),
      )}
    </ul>
  )
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme)
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button
      type="button"
      className={quietButton}
      onClick={() => {
        chooseTheme(other)
        setTheme(other)
      }}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      {other === 'dark' ? 'Dark mode' : 'Light mode'}
    </button>
  )
}

const SAYS = {
  live: { text: 'Live', dot: 'bg-good' },
  connecting: { text: 'Connecting', dot: 'bg-warn' },
  away: { text: 'Reconnecting', dot: 'bg-warn' },
} as const

function LiveSign() {
  const { text, dot } = SAYS[useLiveState()]
  return (
    <p className="flex min-h-9 items-center gap-2.5 px-2.5 text-soft">
      <span aria-hidden="true" className="flex size-5 items-center justify-center">
        <span className={`size-2 rounded-full ${dot}`} />
      </span>
      {text}
    </p>
  )
}
