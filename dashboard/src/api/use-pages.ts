import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import type { Answer, Input } from './operation.ts'
import type { Reading } from './use-answer.ts'

export interface Pages<O extends Reading> {
  /** Undefined until the first has come. */
  readonly pages: readonly Answer<O>[] | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

/** The answers of an operation that lists by cursor, one page after the other; read again when an event makes them old. */
export function usePages<O extends Reading>(
  operation: O,
  {
    asked,
    input,
    next,
    refetchSeconds,
  }: {
    /** What the list is known by. */
    readonly asked: unknown
    /** What to ask for a page; `cursor` is undefined for the first. */
    readonly input: (cursor: string | undefined) => Input<O>
    /** The cursor of the page behind, null at the end. */
    readonly next: (page: Answer<O>) => string | null
    /** For lists that change without an event. */
    readonly refetchSeconds?: number
  },
): Pages<O> {
  const api = useApi()
  const query = useInfiniteQuery({
    queryKey: [operation, { pagesOf: asked }],
    queryFn: ({ pageParam }) => api.ask(operation, input(pageParam)),
    initialPageParam: START,
    getNextPageParam: (page) => next(page) ?? undefined,
    placeholderData: keepPreviousData,
    ...(refetchSeconds === undefined ? {} : { refetchInterval: refetchSeconds * 1_000 }),
  })
  return {
    pages: query.data?.pages,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}

const START: string | undefined = undefined
