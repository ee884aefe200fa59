import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import { route } from './route.ts'
import type { Route } from './route.ts'

/** Each part that payments need, by name, and whether it answers now. */
export type Readiness = () => Promise<ReadonlyMap<string, 'ok' | 'down'>>

/** GET /health/live and /health/ready. While the service stops it lives but is not ready. */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  return [
    route(endpoints.healthLive, async () => ({ body: { status: 'live' as const } })),
    route(endpoints.healthReady, async ({ closing }) => {
      if (closing.aborted) {
        throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
      }
      const parts: Record<string, 'ok'> = {}
      const down: Record<string, string> = {}
      for (const [name, state] of await readiness()) {
        if (state === 'ok') parts[name] = state
        else down[name] = state
      }
      if (Object.keys(down).length > 0) {
        throw new Refusal('NETWORK_ERROR', { details: { ...parts, ...down } })
      }
      return { body: { status: 'ready' as const, parts } }
    }),
  ]
}
