import type { ServerResponse } from 'node:http'
import type { limits } from '../kernel/limits.ts'
import type { Gate } from './gate.ts'

/** Every bound of the service; tests give others. */
export type Limits = Readonly<Record<keyof typeof limits, number>>

/** What every endpoint is served in. */
export interface Surroundings {
  readonly gate: Gate
  readonly limits: Limits
  readonly closing: AbortSignal
  over(response: ServerResponse): AbortSignal
  baseUrl(): string
}

/** The same for an operation. */
export interface Mounting extends Surroundings {
  /** It is asked by load balancers. */
  readonly isProbe: boolean
}
