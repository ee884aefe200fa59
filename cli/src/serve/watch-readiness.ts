import type { Service } from '@florin/server/app.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'

const LOOK_MILLISECONDS = 1_000

/** Says in the log when the service becomes ready and when it stops being so. Ends with the signal. */
export async function watchReadiness({
  service,
  clock,
  log,
  signal,
}: {
  service: Pick<Service, 'readiness'>
  clock: Clock
  log: Log
  signal: AbortSignal
}): Promise<void> {
  let said: string | undefined
  while (!signal.aborted) {
    const parts = [...(await service.readiness())]
    const down = parts.filter(([, state]) => state !== 'ok').map(([name]) => name)
    const now = down.join(' ')
    if (now !== said) {
      if (down.length === 0) log.info({ part: parts.map(([name]) => name).join(' ') }, 'ready')
      else log.warn({ down: now }, 'not ready')
    }
    said = now
    await clock.sleep(LOOK_MILLISECONDS, signal)
  }
}
