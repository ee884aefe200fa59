import type { Pages } from '../api/use-pages.ts'
import { Button } from './button.tsx'

/** The way to the next page of a list; nothing at its end. */
export function LoadMore({
  of,
  children = 'Show more',
}: {
  of: Pick<Pages<unknown, unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>
  children?: string
}) {
  if (!of.hasMore) return null
  return (
    <div className="mt-4 flex justify-center">
      <Button busy={of.isLoadingMore} onClick={of.loadMore}>
        {children}
      </Button>
    </div>
  )
}
