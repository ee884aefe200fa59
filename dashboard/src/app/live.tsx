import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { openLive } from '../api/live.ts'
import type { Live, LiveEvent, LiveMarketEvent, LiveState } from '../api/live.ts'
import { refreshByEvents } from '../api/refresh-by-events.ts'
import { useApi } from './services.tsx'

const LiveContext = createContext<Live | null>(null)

/** Holds the page's one event connection, of the selected account. */
export function LiveProvider({ accountId, children }: { accountId: string; children: ReactNode }) {
  const api = useApi()
  const client = useQueryClient()
  const [live, setLive] = useState<Live | null>(null)
  useEffect(() => {
    const opened = openLive({ api, origin: location.origin })
    const stopRefreshing = refreshByEvents(opened, client)
    setLive(opened)
    return () => {
      stopRefreshing()
      opened.stop()
      setLive(null)
    }
  }, [api, client, accountId])
  return <LiveContext value={live}>{children}</LiveContext>
}

/** Whether events arrive. */
export function useLiveState(): LiveState {
  const live = useContext(LiveContext)
  return useSyncExternalStore(
    (changed) => live?.onState(changed) ?? (() => undefined),
    () => live?.state() ?? 'connecting',
  )
}

/** Tells of every event as it comes. `onEvent` should be stable, or it listens anew each time. */
export function useEvents(onEvent: (event: LiveEvent) => void): void {
  const live = useContext(LiveContext)
  useEffect(() => live?.listen(onEvent), [live, onEvent])
}

/** Tells of what markets show of a token. `onEvent` should be stable, or it listens anew each time. */
export function useTokenEvents(
  mint: string | undefined,
  onEvent: (event: LiveMarketEvent) => void,
): void {
  const live = useContext(LiveContext)
  useEffect(
    () => (mint === undefined ? undefined : live?.listenToToken(mint, onEvent)),
    [live, mint, onEvent],
  )
}
