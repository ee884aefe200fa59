import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Child } from './child.ts'

const RESTARTS_MAX = 8
const WINDOW_MILLISECONDS = 60_000
const PAUSE_FIRST_MILLISECONDS = 100
const PAUSE_MAX_MILLISECONDS = 2_000

export interface Supervisor {
  /** The child's process; undefined while there is none. */
  pid(): number | undefined
  /** Stops watching, waits for a restart that is under way, and stops the child. */
  stop(): Promise<void>
}

/**
 * Starts a child again whenever it dies, with growing pauses; a start that fails counts as a death. After
 * RESTARTS_MAX deaths within a minute it gives up and says so once.
 */
export function supervise<C extends Child>({
  name,
  first,
  start,
  onRestarted,
  onGaveUp,
  clock,
  log,
}: {
  name: string
  first: C
  start: () => Promise<C>
  onRestarted: (child: C) => Promise<void>
  onGaveUp: (reason: string) => void
  clock: Clock
  log: Log
}): Supervisor {
  const stopping = new AbortController()
  let child: C | undefined = first
  const deaths: number[] = []

  const noteDeath = () => {
    const now = clock.nowMilliseconds()
    deaths.push(now)
    while ((deaths[0] ?? now) < now - WINDOW_MILLISECONDS) deaths.shift()
  }
  const startAgain = async (): Promise<C | undefined> => {
    const pause = PAUSE_FIRST_MILLISECONDS * 2 ** (deaths.length - 1)
    await clock.sleep(Math.min(pause, PAUSE_MAX_MILLISECONDS), stopping.signal)
    if (stopping.signal.aborted) return undefined
    try {
      const fresh = await start()
      log.warn({ child: name, pid: fresh.pid, deaths: deaths.length }, 'started again')
      await onRestarted(fresh)
      return fresh
    } catch (error) {
      log.warn({ child: name, reason: error }, 'could not be started again')
      return undefined
    }
  }
  const watch = async () => {
    while (!stopping.signal.aborted) {
      if (child !== undefined) {
        const facts = JSON.stringify(await child.exited)
        if (stopping.signal.aborted) return
        child = undefined
        log.warn({ child: name, reason: facts }, 'ended without being asked to')
      }
      noteDeath()
      if (deaths.length > RESTARTS_MAX) {
        onGaveUp(`${name} died ${deaths.length} times within a minute`)
        return
      }
      child = await startAgain()
    }
  }
  const watching = watch()
  return {
    pid: () => child?.pid,
    stop: async () => {
      stopping.abort()
      // A watch that waits for the child's end returns when that comes; one that restarts it, when that is done.
      const before = child
      await before?.stop()
      await watching
      if (child !== before) await child?.stop()
    },
  }
}
