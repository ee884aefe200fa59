import { useEffect, useState } from 'react'

const STEP_MILLISECONDS = 10_000

/** The time, looked at again every few seconds. Unix milliseconds. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP_MILLISECONDS)
    return () => clearInterval(timer)
  }, [])
  return now
}
