import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseMutationResult } from '@tanstack/react-query'
import { useApi } from '../app/services.tsx'
import type { Answer, Input, Operation } from './operation.ts'
import type { Reading } from './use-answer.ts'
import { markChanged } from './use-pages.ts'

/** Operations that change something. */
export type Deed = Exclude<Operation, Reading>

/** An operation that changes something. Answers of `refreshes` are read again when it is done. */
export function useDeed<O extends Deed>(
  operation: O,
  {
    refreshes = [],
    onDone,
    onFailed,
  }: {
    readonly refreshes?: readonly Reading[]
    readonly onDone?: (answer: Answer<O>, input: Input<O>) => void
    readonly onFailed?: (error: Error, input: Input<O>) => void
  } = {},
): UseMutationResult<Answer<O>, Error, Input<O>> {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input<O>) => api.ask(operation, input),
    onError: (error, input) => onFailed?.(error, input),
    onSuccess: async (answer, input) => {
      onDone?.(answer, input)
      markChanged(client, namesOf(input))
      await client.invalidateQueries({
        predicate: ({ queryKey }) => refreshes.some((each) => each === queryKey[0]),
      })
    },
  })
}

/** Of what a deed was done to. */
function namesOf(input: object): ReadonlySet<string> {
  const params = 'params' in input ? input.params : undefined
  return new Set(Object.values(params ?? {}).map(String))
}
