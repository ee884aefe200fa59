import { once } from 'node:events'
import { createServer } from 'node:net'
import { CommandFailed } from '../usage-error.ts'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens where the service is going to and stops again: what cannot work is told before anything is started for it.
 * Another program may still come between, so the service's own listening is asked again. Throws CommandFailed.
 */
export async function checkPortIsFree({ host, port }: Address): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port }), 'listening')
  } catch (error) {
    throw portFailure(error, { host, port })
  }
  probe.close()
  await once(probe, 'close')
}

/** Why nobody can listen there, in words for the one who chose the port; any other failure as it is. */
export function portFailure(error: unknown, { host, port }: Address): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error
  return new CommandFailed(
    `port ${port} on ${host} is taken by another program. Set FLORIN_PORT, 0 for any free one.`,
    { cause: error },
  )
}
