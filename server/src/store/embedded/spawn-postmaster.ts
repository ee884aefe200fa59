import { spawn } from 'node:child_process'
import type { Clock } from '../../kernel/clock.ts'
import { SHUTDOWN_STEPS } from './embedded-limits.ts'
import type { RunAs } from './run-as.ts'
import { BARE_ENVIRONMENT } from './run-tool.ts'

export interface ExitFacts {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running postmaster, our child. */
export interface Postmaster {
  readonly pid: number
  readonly exited: Promise<ExitFacts>
  /** Aborts when the process is gone. */
  readonly gone: AbortSignal
  /** Fast shutdown, each step bounded; resolves when the process is gone. */
  stop(): Promise<void>
}

/** Starts PostgreSQL in a session of its own, so that Ctrl-C in a terminal does not reach it before us. */
export async function spawnPostmaster({
  postgres,
  cluster,
  port,
  runAs,
  logDescriptor,
  clock,
}: {
  postgres: string
  cluster: string
  port: number
  runAs: RunAs | null
  logDescriptor: number
  clock: Clock
}): Promise<Postmaster> {
  const child = spawn(postgres, ['-D', cluster, '-p', String(port)], {
    ...(runAs ?? {}),
    cwd: '/',
    env: BARE_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', logDescriptor, logDescriptor],
  })
  const gone = new AbortController()
  const exited = new Promise<ExitFacts>((resolve) => {
    child.once('exit', (code, signal) => {
      gone.abort()
      resolve({ code, signal })
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const { pid } = child
  if (pid === undefined) throw new Error('PostgreSQL was started without a pid')
  const stop = async () => {
    for (const { name, seconds } of SHUTDOWN_STEPS) {
      if (gone.signal.aborted) return
      child.kill(name)
      await clock.sleep(seconds * 1000, gone.signal)
    }
    if (!gone.signal.aborted) throw new Error(`PostgreSQL, process ${pid}, cannot be ended`)
  }
  return { pid, exited, gone: gone.signal, stop }
}
