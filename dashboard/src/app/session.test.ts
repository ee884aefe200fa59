import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { openApi } from '../api/api.ts'
import { asAnswer } from '../api/as-answer.ts'
import { askSession, knownSession, setSession } from './session.tsx'
import type { Session } from './session.tsx'

const sessionWith = (csrfToken: string) => asAnswer<'GET /session'>({ csrfToken })
const REFUSED = { error: { code: 'UNAUTHORIZED', message: 'Sign in.' } }

/** A page that asks who is signed in, and an answer that is on its way until it is let in. */
function pageThatAsks() {
  const client = new QueryClient()
  const { promise: answer, resolve: answers } = Promise.withResolvers<Response>()
  const api = openApi({
    fetch: () => answer,
    csrfToken: () => knownSession(client)?.csrfToken,
    onSignedOut: () => setSession(client, null),
  })
  const ask = async () => {
    const told = await askSession(api, client)
    setSession(client, told)
  }
  return { client, ask, answers }
}

const knownAfter: {
  readonly name: string
  readonly known: Session | null | undefined
  readonly meanwhile: Session | null | undefined
  readonly answer: () => Response
  readonly tokenAfter: string | undefined
}[] = [
  {
    name: 'nobody is signed in',
    known: undefined,
    meanwhile: undefined,
    answer: () => Response.json(REFUSED, { status: 401 }),
    tokenAfter: undefined,
  },
  {
    name: 'a late "nobody" does not undo signing in',
    known: undefined,
    meanwhile: sessionWith('new'),
    answer: () => Response.json(REFUSED, { status: 401 }),
    tokenAfter: 'new',
  },
  {
    name: 'a late answer does not lead back to the account before',
    known: sessionWith('old'),
    meanwhile: sessionWith('new'),
    answer: () => Response.json({ csrfToken: 'old' }),
    tokenAfter: 'new',
  },
  {
    name: 'a late answer does not sign in again who signed out',
    known: sessionWith('old'),
    meanwhile: null,
    answer: () => Response.json({ csrfToken: 'old' }),
    tokenAfter: undefined,
  },
  {
    name: 'a session that is over is over',
    known: sessionWith('old'),
    meanwhile: undefined,
    answer: () => Response.json(REFUSED, { status: 401 }),
    tokenAfter: undefined,
  },
  {
    name: 'what changed about it is known',
    known: sessionWith('old'),
    meanwhile: undefined,
    answer: () => Response.json({ csrfToken: 'fresh' }),
    tokenAfter: 'fresh',
  },
]
test.each(knownAfter)('who is signed in: $name', async (row) => {
  const { client, ask, answers } = pageThatAsks()
  if (row.known !== undefined) setSession(client, row.known)
  const asking = ask()
  if (row.meanwhile !== undefined) setSession(client, row.meanwhile)
  answers(row.answer())
  await asking
  expect(knownSession(client)?.csrfToken).toBe(row.tokenAfter)
  expect(knownSession(client)).not.toBeUndefined()
})
