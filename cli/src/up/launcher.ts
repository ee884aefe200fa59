import { Socket } from 'node:net'
import { identify } from '../process-identity.ts'
import type { ProcessIdentity } from '../process-identity.ts'

const VARIABLE = 'FLORIN_LAUNCHER_FD'
const FIRST_OWN_DESCRIPTOR = 3

/** The process that started this one and that it ends with. */
export interface Launcher {
  readonly identity: ProcessIdentity | null
  /** Calls back once when the launcher is gone, however it ended. */
  onGone(callback: () => void): void
}

/**
 * Finds the pipe that bin/florin.js left open: it ends when the launcher dies, even by SIGKILL, which no signal
 * handler sees. Takes the variable out of the environment, so that children do not take it for theirs.
 */
export async function findLauncher(environment: NodeJS.ProcessEnv): Promise<Launcher | undefined> {
  const descriptor = Number(environment[VARIABLE])
  delete environment[VARIABLE]
  if (!Number.isInteger(descriptor) || descriptor < FIRST_OWN_DESCRIPTOR) return undefined
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false })
  pipe.on('error', () => pipe.destroy())
  pipe.resume()
  pipe.unref()
  return {
    identity: (await identify(process.ppid)) ?? null,
    onGone: (callback) => {
      if (pipe.closed) callback()
      else pipe.once('close', callback)
    },
  }
}
