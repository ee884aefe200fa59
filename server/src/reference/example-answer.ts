import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { OperationReference } from '@florin/wire/reference/operation-reference.ts'

/** When the examples happened, Unix milliseconds. */
const EXAMPLE_TIME = 1_790_000_000_000

/** An operation's example as it goes out. */
export function exampleAnswer(
  { foreignShape }: Pick<Endpoint, 'foreignShape'>,
  { answer }: Pick<OperationReference, 'answer'>,
): object {
  return foreignShape ? answer : { success: true, ...answer, timestamp: EXAMPLE_TIME }
}
