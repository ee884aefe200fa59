import { useEffect, useState } from 'react'

/** The time, looked at again every so many seconds. Unix milliseconds. */
export function useNow(everySeconds = 10): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everySeconds * 1_000)
    return () => clearInterval(timer)
  }, [everySeconds])
  return now
}
