import { useEffect, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { useDeed } from '../api/use-deed.ts'
import { Brand } from '../app/brand.tsx'
import { Go } from '../app/go.tsx'
import { hasEnded, setSession, useAskedSession } from '../app/session.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { PasskeySignIn } from './sign-in-passkey.tsx'

/** The token of a one-time link. It leaves the address at once, so that no screen shot and no history keeps it. */
function takeLink(): string | undefined {
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  if (link === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return link
}

/** Only paths of our own: an address that somebody made must not lead away. */
function nextPath(search: unknown): string {
  const fields: Readonly<Record<string, unknown>> =
    typeof search === 'object' && search !== null ? { ...search } : {}
  const { next } = fields
  return typeof next === 'string' && /^\/[\w-]/.test(next) ? next : '/'
}

/** The way in: by a link that was handed over, by a passkey, or by email and password. */
export function Page() {
  const client = useQueryClient()
  const search: unknown = useLocation().search
  const { data: session } = useAskedSession()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [ended] = useState(() => hasEnded(client))
  const signIn = useDeed('POST /session', { onDone: (answer) => setSession(client, answer) })
  const { mutate } = signIn
  const link = useRef<string | undefined>(undefined)
  useEffect(() => {
    document.title = 'Sign in · Florin'
    const follow = () => {
      link.current ??= takeLink()
      if (link.current === undefined) return
      mutate({ body: { link: link.current } })
      link.current = undefined
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [mutate])

  if (session && !signIn.isPending) return <Go to={nextPath(search)} />
  return (
    <main className="mx-auto flex min-h-screen max-w-sm flex-col justify-center gap-6 p-6">
      <Brand />
      <h1 className="text-xl font-semibold">Sign in</h1>
      {ended && signIn.error === null ? (
        <p role="status" className="rounded-lg border border-warn bg-warn-ground px-4 py-2.5">
          Your session has ended. Sign in to go on where you were.
        </p>
      ) : null}
      {signIn.error === null ? null : <SignInError error={signIn.error} />}
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          mutate({ body: { email, password } })
        }}
      >
        <Field
          label="Email"
          type="email"
          name="email"
          autoComplete="username webauthn"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Button type="submit" kind="primary" busy={signIn.isPending} className="w-full">
          Sign in
        </Button>
      </form>
      <div className="flex items-center gap-3 text-soft before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        or
      </div>
      <PasskeySignIn onSignedIn={(answer) => setSession(client, answer)} />
      <p className="text-soft">
        You were given a sign-in link? Open it once, within its time. In the sandbox{' '}
        <code className="font-mono">florin up</code> prints one.
      </p>
    </main>
  )
}

/** Why nobody came in, in the words of somebody who wants to come in. */
function SignInError({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') {
    return <ErrorPanel error={error} />
  }
  return (
    <p role="alert" className="rounded-lg border border-bad bg-bad-ground p-4">
      That did not open a session. A link works once and for a short time; email and password must
      both be right.
    </p>
  )
}
