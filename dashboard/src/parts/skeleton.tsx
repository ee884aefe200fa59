/** Room for what is on its way, of the size that it will have. */
export function Skeleton({ className = 'h-4 w-32' }: { className?: string }) {
  return (
    <span aria-hidden="true" className={`block animate-pulse rounded bg-raised ${className}`} />
  )
}

/** Room for a table of so many rows. */
export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" className="rounded-lg border border-line bg-surface">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="flex items-center gap-6 border-line px-4 py-3.5 not-last:border-b"
        >
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="h-4 w-1/5" />
          <Skeleton className="ml-auto h-4 w-1/6" />
        </div>
      ))}
    </div>
  )
}
