import { useParams } from '@tanstack/react-router'

/** The part of the page's address that varies, by its name in the table of pages. */
export function usePathPart(name: string): string {
  const parts: Readonly<Record<string, unknown>> = useParams({ strict: false })
  const part = parts[name]
  return typeof part === 'string' ? part : ''
}
