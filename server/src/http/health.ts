import type { Static } from 'typebox'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Ready } from '@florin/wire/health.ts'
import type { Log } from '../kernel/log.ts'
import { route } from './route.ts'
import type { Route } from './route.ts'

/** Each part that payments need, by name, and whether it answers now. */
export type Readiness = () => Promise<ReadonlyMap<string, 'ok' | 'down'>>

/** The nodes of each network, as anybody may see them. */
export type NodesInUse = () => Static<typeof Ready>['nodes']

/**
 * GET /health/live and /health/ready. While the service stops it lives but is not ready. What is down is logged when it changes, not
 * each time that somebody asks.
 */
export function healthRoutes(
  readiness: Readiness,
  log: Log,
  nodesInUse: NodesInUse = () => ({}),
): readonly Route[] {
  let lastDown = ''
  let looking: ReturnType<Readiness> | undefined
  // Anybody may ask, and each look is a question to the database: those that ask at once share one.
  const look = () =>
    (looking ??= readiness().finally(() => {
      looking = undefined
    }))
  const noteDown = (down: string) => {
    if (down === lastDown) return
    lastDown = down
    if (down === '') log.info({}, 'a probe was told that the service is ready again')
    else log.info({ down }, 'a probe was told that the service is not ready')
  }
  return [
    route(endpoints.healthLive, async () => ({ body: { status: 'live' as const } })),
    route(endpoints.healthReady, async ({ closing }) => {
      if (closing.aborted) {
        throw new Refusal('NETWORK_ERROR', { details: { service: 'stopping' } })
      }
      const parts: Record<string, 'ok'> = {}
      const down: Record<string, string> = {}
      for (const [name, state] of await look()) {
        if (state === 'ok') parts[name] = state
        else down[name] = state
      }
      noteDown(Object.keys(down).join(' '))
      if (Object.keys(down).length > 0) {
        throw new Refusal('NETWORK_ERROR', { details: { ...parts, ...down, nodes: nodesInUse() } })
      }
      return { body: { status: 'ready' as const, parts, nodes: nodesInUse() } }
    }),
  ]
}
