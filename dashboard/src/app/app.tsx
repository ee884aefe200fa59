import { useState } from 'react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiError } from '../api/api-error.ts'
import { openApi } from '../api/api.ts'
import { againMilliseconds } from '../api/read-again.ts'
import { ToastProvider } from '../parts/toast.tsx'
import { openRouter } from './router.tsx'
import { ServicesContext } from './services.tsx'
import { endSession, knownSession } from './session.tsx'

const RETRIES_MAX = 2
const FRESH_MILLISECONDS = 15_000

/** A second try makes sense where nobody answered, or where the service said that it could not just now. */
const mayRepeat = (failures: number, error: unknown) =>
  failures < RETRIES_MAX && error instanceof ApiError && (error.status === 0 || error.status >= 500)

function openAll() {
  const client = new QueryClient({
    // What the browser says of the network is not about the service, which may run on this machine: without this nothing is asked
    // while it says that there is none, and a payment that was ordered meanwhile is sent minutes later.
    defaultOptions: {
      queries: {
        retry: mayRepeat,
        staleTime: FRESH_MILLISECONDS,
        networkMode: 'always',
        refetchInterval: againMilliseconds,
      },
      mutations: { networkMode: 'always' },
    },
  })
  const api = openApi({
    fetch: (...request) => fetch(...request),
    csrfToken: () => knownSession(client)?.csrfToken,
    onSignedOut: () => endSession(client),
  })
  return { client, services: { api }, router: openRouter() }
}

/** The dashboard. */
export function App() {
  const [{ client, services, router }] = useState(openAll)
  return (
    <QueryClientProvider client={client}>
      <ServicesContext value={services}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </ServicesContext>
    </QueryClientProvider>
  )
}
