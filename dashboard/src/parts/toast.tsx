import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

const SHOWN_MILLISECONDS = 4_000

/** Says in passing that something was done. */
export type Say = (text: string) => void

const ToastContext = createContext<Say>(() => undefined)

/** Gives the way to say that something was done. */
export function useToast(): Say {
  return useContext(ToastContext)
}

/** Shows what is said below the page, the newest only, and reads it out. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ text: string; number: number } | null>(null)
  const say = useCallback<Say>(
    (text) => setSaid((before) => ({ text, number: (before?.number ?? 0) + 1 })),
    [],
  )
  useEffect(() => {
    if (said === null) return undefined
    const timer = setTimeout(() => setSaid(null), SHOWN_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [said])
  const value = useMemo(() => say, [say])
  return (
    <ToastContext value={value}>
      {children}
      <div
        role="status"
        className="pointer-events-none fixed inset-x-0 bottom-4 z-20 flex justify-center px-4"
      >
        {said === null ? null : (
          <div className="flex items-center gap-2 rounded-md bg-ink px-4 py-2.5 text-surface shadow-lg">
            <Icon name="check" className="size-4" />
            {said.text}
          </div>
        )}
      </div>
    </ToastContext>
  )
}
