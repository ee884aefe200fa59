import { useRef } from 'react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import { againMilliseconds } from './read-again.ts'
import type { Read } from './read-again.ts'
import { furtherToRead, isBehind, rowsOf, withChanged, withMore, withRead } from './loaded-pages.ts'
import type { LoadedList, LoadedPage } from './loaded-pages.ts'
import type { Answer, Input } from './operation.ts'
import type { Reading } from './use-answer.ts'

export interface Pages<Page, Row> {
  /** Undefined until the first page has come. */
  readonly rows: readonly Row[] | undefined
  /** The answer that the list ends with. */
  readonly last: Page | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  /** How the reading stands; it is of when the first page was read. */
  readonly read: Read
}

/** Where one refresh did not read all that changed, the next comes after this. */
const NEXT_REFRESH_MILLISECONDS = 1_000

/**
 * The rows of an operation that lists by cursor, one page after the other. However many are shown, a refresh reads the first page and
 * FURTHER_PAGES_MAX more: those with rows that an event or a deed named, then those that were read long ago.
 */
export function usePages<O extends Reading, Row>(
  operation: O,
  {
    asked,
    input,
    next,
    rows,
    rowKey,
    rowTime,
    refetchSeconds,
  }: {
    /** What the list is known by. */
    readonly asked: unknown
    /** What to ask for a page; `cursor` is undefined for the first. */
    readonly input: (cursor: string | undefined) => Input<O>
    /** The cursor of the page behind, null at the end. */
    readonly next: (page: Answer<O>) => string | null
    readonly rows: (page: Answer<O>) => readonly Row[]
    /** What a row is known by; events and deeds name it so. */
    readonly rowKey: (row: Row) => string
    /** What the list is sorted by, newest first: Unix milliseconds. */
    readonly rowTime: (row: Row) => number
    /** For lists that change without an event. */
    readonly refetchSeconds?: number
  },
): Pages<Answer<O>, Row> {
  const api = useApi()
  const client = useQueryClient()
  const isMoreWanted = useRef(false)
  const queryKey = [operation, { pagesOf: asked }]
  const read = async (cursor: string | undefined): Promise<LoadedPage<Answer<O>, Row>> => {
    const readAt = Date.now()
    const answer = await api.ask(operation, input(cursor))
    const entries = rows(answer).map((row) => ({ id: rowKey(row), at: rowTime(row), row }))
    return { cursor, answer, next: next(answer), entries, readAt }
  }
  const query = useQuery({
    queryKey,
    queryFn: async (): Promise<LoadedList<Answer<O>, Row>> => {
      const list = client.getQueryData<LoadedList<Answer<O>, Row>>(queryKey)
      if (list === undefined) return { pages: [await read(undefined)], asked: 1, changed: [] }
      const end = list.pages.at(-1)?.next ?? null
      if (isMoreWanted.current && end !== null) {
        const more = withMore(list, await read(end))
        isMoreWanted.current = false
        return more
      }
      const cursors = furtherToRead(list, Date.now()).map((place) => list.pages[place]?.cursor)
      return withRead(list, await Promise.all([undefined, ...cursors].map(read)))
    },
    placeholderData: keepPreviousData,
    // By place it would make other objects of all rows that moved; `withRead` keeps them by their id.
    structuralSharing: false,
    refetchInterval: (query) => {
      const { data, status } = query.state
      const again = againMilliseconds(query)
      if (again !== false && refetchSeconds === undefined) return again
      if (data !== undefined && status !== 'error' && isBehind(data))
        return NEXT_REFRESH_MILLISECONDS
      return refetchSeconds === undefined ? false : refetchSeconds * 1_000
    },
  })
  const last = query.data?.pages.at(-1)
  const rowsShown = query.data && rowsOf(query.data)
  return {
    rows: rowsShown,
    last: last?.answer,
    error: query.error,
    hasMore: (last?.next ?? null) !== null,
    isLoadingMore: query.isFetching && isMoreWanted.current,
    loadMore: () => {
      isMoreWanted.current = true
      void query.refetch()
    },
    read: {
      data: rowsShown,
      error: query.error,
      dataUpdatedAt: query.data?.pages[0]?.readAt ?? 0,
      refetch: query.refetch,
    },
  }
}

/**
 * Marks rows of lists as changed, by the names that events and deeds have for them: pages that show them are read again first. A list
 * that could not be read anew stays one.
 */
export function markChanged(client: QueryClient, names: ReadonlySet<string>): void {
  const lists = client.getQueryCache().findAll({
    predicate: ({ queryKey: [, asked] }) => isOfPages(asked),
  })
  for (const list of lists) {
    const data = client.getQueryData<LoadedList<unknown, unknown>>(list.queryKey)
    // As if it had been read it would be set by `setQueryData`: without its fault, and with the time of now.
    if (data !== undefined) list.setState({ data: withChanged(data, names) })
  }
}

const isOfPages = (asked: unknown) =>
  typeof asked === 'object' && asked !== null && 'pagesOf' in asked
