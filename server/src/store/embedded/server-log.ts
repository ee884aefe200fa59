import { open, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import { embeddedLimits } from './embedded-limits.ts'

/** PostgreSQL's own log: a file that it appends to without us, so that it never waits for us. */
export interface ServerLog {
  readonly path: string
  readonly descriptor: number
  /** The last lines, for an error message. */
  tail(): Promise<string>
  close(): Promise<void>
}

async function keepBounded(handle: FileHandle, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(embeddedLimits.logCheckSeconds * 1000, signal)
    if (signal.aborted) return
    // Appending goes on at the new end; a line written at this very moment may be lost.
    if ((await handle.stat()).size > embeddedLimits.logBytesMax) await handle.truncate(0)
  }
}

/** Opens `postgres.log`; at each start a full one becomes `postgres.log.1`, and while running it is bounded. */
export async function openServerLog(directory: string, clock: Clock): Promise<ServerLog> {
  const path = join(directory, 'postgres.log')
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size > embeddedLimits.logBytesMax / 2) {
    await rm(`${path}.1`, { force: true })
    await rename(path, `${path}.1`)
  }
  const handle = await open(path, 'a+', 0o600)
  const from = (await handle.stat()).size
  const stop = new AbortController()
  const bounded = keepBounded(handle, clock, stop.signal).catch(() => undefined)
  return {
    path,
    descriptor: handle.fd,
    tail: async () => {
      const { size: end } = await handle.stat()
      const length = Math.max(0, Math.min(end - from, embeddedLimits.logTailBytes))
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, end - length)
      return buffer.toString('utf8').trim()
    },
    close: async () => {
      stop.abort()
      await bounded
      await handle.close()
    },
  }
}
