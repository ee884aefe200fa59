import type { Pages } from '../api/use-pages.ts'
import type { Reading } from '../api/use-answer.ts'
import { Button } from './button.tsx'

/** The way to the next page of a list; nothing at its end. */
export function LoadMore<O extends Reading>({
  of,
  children = 'Show more',
}: {
  of: Pages<O>
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
