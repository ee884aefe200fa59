import { useEffect, useRef } from 'react'
import { useRouter } from '@tanstack/react-router'

/**
 * Leads to another page of ours, its query included, once: while that is on its way the address has changed, and must not
 * lead anywhere anew. `next` is where that page leads on to.
 */
export function Go({ to, next }: { to: string; next?: string | undefined }) {
  const router = useRouter()
  const gone = useRef(false)
  useEffect(() => {
    if (gone.current) return
    gone.current = true
    const [path = '/', query = ''] = to.split(/\?(.*)/s)
    const search = next === undefined ? router.options.parseSearch(query) : { next }
    void router.navigate({ to: path, search, replace: true })
  }, [router, to, next])
  return null
}
