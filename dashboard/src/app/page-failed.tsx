import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorPanel } from '../parts/error-panel.tsx'

/** A page that could not be drawn: mostly because its code did not arrive. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return <ErrorPanel error={error} onRetry={reset} />
}
