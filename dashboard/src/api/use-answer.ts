import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import type { Answer, Input, Operation } from './operation.ts'

/** Operations that only read. */
export type Reading = Extract<Operation, `GET ${string}`>

type Options = { readonly enabled?: boolean; readonly refetchSeconds?: number }
type Arguments<O extends Operation> =
  Partial<Input<O>> extends Input<O>
    ? [input?: Input<O>, options?: Options]
    : [input: Input<O>, options?: Options]

/** What the page knows an answer by: the operation and what it was asked with. */
export function answerKey(operation: Operation, input: unknown = {}): readonly unknown[] {
  return [operation, input]
}

/** The answer of an operation that reads: kept, shared by the whole page, read again when an event makes it old. */
export function useAnswer<O extends Reading>(
  operation: O,
  ...[input, { enabled = true, refetchSeconds } = {}]: Arguments<O>
): UseQueryResult<Answer<O>> {
  const api = useApi()
  return useQuery({
    queryKey: answerKey(operation, input),
    queryFn: () => api.ask(operation, input),
    enabled,
    ...(refetchSeconds === undefined ? {} : { refetchInterval: refetchSeconds * 1_000 }),
  })
}
