import { createContext, useContext } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryClient, UseQueryResult } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import type { Answer } from '../api/operation.ts'
import type { Api } from '../api/api.ts'
import { answerKey } from '../api/use-answer.ts'
import { useApi } from './services.tsx'

/** Who is signed in. */
export type Session = Answer<'GET /session'>

const KEY = answerKey('GET /session')

/** What is known of the session; undefined while nobody knows, null when there is none. */
export function knownSession(client: QueryClient): Session | null | undefined {
  return client.getQueryData<Session | null>(KEY)
}

/** Sets who is signed in. What was read for somebody else, or for another account, is forgotten. */
export function setSession(client: QueryClient, session: Session | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] })
  client.setQueryData(KEY, session)
}

const ENDED = ['session ended']

/** The service does not know the session any more: whoever had one is told so where they sign in again. */
export function endSession(client: QueryClient): void {
  const hadOne = Boolean(knownSession(client))
  setSession(client, null)
  if (hadOne) client.setQueryData(ENDED, true)
}

/** Whether there was a session that ended by itself. */
export function hasEnded(client: QueryClient): boolean {
  return client.getQueryData(ENDED) === true
}

/**
 * Asks the service who is signed in; null: nobody. Whoever signs in, out or to another account while the answer is on its way is right
 * against it: it may tell of before.
 */
export async function askSession(api: Api, client: QueryClient): Promise<Session | null> {
  const before = knownSession(client)
  const told = await api.call('GET /session').catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') return null
    throw error
  })
  const known = knownSession(client)
  return known === undefined || known === before ? told : known
}

/** Who is signed in, asked once; null: nobody. */
export function useAskedSession(): UseQueryResult<Session | null> {
  const api = useApi()
  const client = useQueryClient()
  return useQuery({
    queryKey: KEY,
    queryFn: () => askSession(api, client),
    staleTime: Infinity,
  })
}

export const SessionContext = createContext<Session | null>(null)

/** Who is signed in, on pages that nobody else sees. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('a page of nobody')
  return session
}

/** Whether the session's role has a scope in the selected account. */
export function useMay(scope: 'write' | 'settle' | 'trade' | 'admin'): boolean {
  const role = useSession().selected?.role
  return role === 'owner' || (role === 'developer' && scope !== 'admin')
}
