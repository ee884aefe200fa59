import { useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useRouterState } from '@tanstack/react-router'
import { Badge } from '../parts/badge.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Icon } from '../parts/icon.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { AwayNotice } from './away-notice.tsx'
import { Go } from './go.tsx'
import { LiveProvider } from './live.tsx'
import { SessionContext, useAskedSession } from './session.tsx'
import type { Session } from './session.tsx'
import { SideBar } from './side-bar.tsx'
import { Brand } from './brand.tsx'

/** What is around every page behind the sign-in. */
export function Shell() {
  const { data: session, error, refetch } = useAskedSession()
  const { pathname, searchStr } = useLocation()
  if (session === null) {
    const here = pathname + searchStr
    return <Go to="/signin" next={here === '/' ? undefined : here} />
  }
  if (session !== undefined) {
    return (
      <SessionContext value={session}>
        <LiveProvider accountId={session.selected?.accountId ?? ''}>
          <Frame session={session} />
        </LiveProvider>
      </SessionContext>
    )
  }
  return (
    <main className="mx-auto max-w-xl p-6">
      {error === null ? (
        <Skeleton className="h-7 w-40" />
      ) : (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      )}
    </main>
  )
}

/** Links at the side, the page beside them. On a narrow screen the links are behind a button. */
function Frame({ session }: { session: Session }) {
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const menuButton = useRef<HTMLButtonElement>(null)
  useEffect(() => setOpen(false), [pathname])
  useHeadingFocus()
  return (
    <div
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !isOpen) return
        setOpen(false)
        menuButton.current?.focus()
      }}
      className="lg:grid lg:min-h-screen lg:grid-cols-[15rem_minmax(0,1fr)]"
    >
      <a
        href="#page"
        className="sr-only z-30 rounded bg-surface p-2 focus:not-sr-only focus:absolute"
      >
        Skip to the page
      </a>
      <header className="sticky top-0 z-10 flex h-14 items-center justify-between border-b border-line bg-surface px-4 lg:hidden">
        <span className="flex items-center gap-3">
          <Brand />
          {session.sandbox ? <Badge tone="brand">Sandbox</Badge> : null}
        </span>
        <button
          ref={menuButton}
          type="button"
          aria-expanded={isOpen}
          aria-controls="side"
          aria-label={isOpen ? 'Close menu' : 'Open menu'}
          onClick={() => setOpen(!isOpen)}
          className="inline-flex size-10 items-center justify-center rounded-md hover:bg-raised"
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </button>
      </header>
      <div
        id="side"
        className={`border-line bg-surface max-lg:border-b lg:sticky lg:top-0 lg:block lg:h-screen lg:border-r ${isOpen ? '' : 'max-lg:hidden'}`}
      >
        <SideBar session={session} />
      </div>
      <main id="page" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none sm:px-6 lg:px-8">
        <div className="mx-auto max-w-6xl">
          <Outlet />
        </div>
        <AwayNotice />
      </main>
    </div>
  )
}

/**
 * Whoever goes to another page goes on from its heading, which a screen reader reads: the link that led there is gone, or has all other
 * links between itself and the page. The first page is left alone, for its first stop is the way past the links.
 */
function useHeadingFocus(): void {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef(shown)
  useEffect(() => {
    const isOther = before.current !== undefined && before.current !== shown
    before.current = shown
    if (isOther) document.querySelector<HTMLElement>('#page h1')?.focus({ preventScroll: true })
  }, [shown])
}
