import { constants } from 'node:os'

/** Signals that end a run: at the first one the run ends what it has started, and begins nothing new. */
const NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * From here on these signals abort `signal` and no longer end the process. One press of Ctrl-C may come more than once, by the terminal and by
 * those who pass it on, so further ones say nothing.
 */
export function openInterruption(): {
  readonly signal: AbortSignal
  /** As a shell tells of a process that a signal ended; undefined while none came. */
  readonly exitCode: () => number | undefined
} {
  const controller = new AbortController()
  let first: (typeof NAMES)[number] | undefined
  for (const name of NAMES) {
    process.on(name, () => {
      if (first !== undefined) return
      first = name
      process.stdout.write(`\nended by ${name}\n`)
      controller.abort()
    })
  }
  return {
    signal: controller.signal,
    exitCode: () => (first === undefined ? undefined : 128 + constants.signals[first]),
  }
}
