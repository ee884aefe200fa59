import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { answers } from './page-code.ts'

/** A page that could not be drawn: mostly because its code did not arrive. */
export function PageFailed({ error }: ErrorComponentProps) {
  // The router asks for code that failed once never again. A document that nobody gives would be the end of what is still here.
  const retry = async () => {
    if (await answers()) location.reload()
  }
  return <ErrorPanel error={error} onRetry={() => void retry()} />
}
