import { useEffect, useRef } from 'react'
import { useRouter } from '@tanstack/react-router'

/** Leads to another page, once: while that is on its way the address has changed, and must not lead anywhere anew. */
export function Go({ to, next }: { to: string; next?: string | undefined }) {
  const router = useRouter()
  const gone = useRef(false)
  useEffect(() => {
    if (gone.current) return
    gone.current = true
    void router.navigate({ to, search: next === undefined ? {} : { next }, replace: true })
  }, [router, to, next])
  return null
}
