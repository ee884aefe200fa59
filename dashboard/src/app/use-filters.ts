import { useNavigate, useSearch } from '@tanstack/react-router'

export interface Filters {
  /** What a filter is set to; empty when it is not. */
  get(name: string): string
  /** Sets filters; an empty text takes one away. */
  set(change: Readonly<Record<string, string>>): void
  clear(): void
  readonly isEmpty: boolean
}

/** What a list is narrowed by. It stands in the page's address, so that a list can be kept and handed on. */
export function useFilters(): Filters {
  const given: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (search: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  return {
    get: (name) => {
      const value = given[name]
      return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    },
    set: (change) =>
      go(Object.fromEntries(Object.entries({ ...given, ...change }).filter(([, v]) => v !== ''))),
    clear: () => go({}),
    isEmpty: Object.keys(given).length === 0,
  }
}
