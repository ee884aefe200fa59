import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { eventStream } from './events.ts'

/** What the reference and the OpenAPI document describe: every row of the table, and the stream that stands beside it. */
export const describedOperations: readonly Endpoint[] = [...Object.values(endpoints), eventStream]
