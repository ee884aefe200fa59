import { Skeleton, SkeletonRows } from '../parts/skeleton.tsx'

/** While the code of a page is on its way. */
export function PageLoading() {
  return (
    <div className="space-y-6">
      <Skeleton className="h-7 w-40" />
      <SkeletonRows />
    </div>
  )
}
