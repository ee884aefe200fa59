import type { Launcher } from './launcher.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A terminal's Ctrl-C reaches us twice, directly and through the launcher; that is still one wish. */
const SAME_WISH_MILLISECONDS = 1_000
const AT_ONCE_EXIT_CODE = 130

/** The wish to stop, wherever it comes from. */
export interface Ending {
  /** Aborts at the first wish. */
  readonly signal: AbortSignal
  /** 0 when somebody asked, 1 when something broke. */
  exitCode(): number
  /** Something broke that this process cannot go on without. */
  fail(reason: string): void
  /** Throws Interrupted once there is a wish: between the steps of starting. */
  check(): void
  /** What to do, without waiting, when the process is told to end at once. */
  addLastResort(act: () => void): void
}

/** Starting was interrupted on purpose. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/**
 * Listens for SIGINT, SIGTERM, SIGHUP unless told otherwise, the launcher's death and uncaught errors. A second signal more than a second after
 * the first ends the process at once.
 */
export function openEnding({
  launcher,
  note,
  now,
  signals = SIGNALS,
}: {
  launcher: Launcher
  note: (text: string) => void
  now: () => number
  /** What counts as a wish to stop. */
  signals?: readonly NodeJS.Signals[]
}): Ending {
  const wish = new AbortController()
  let code = 0
  let since = 0
  const lastResorts: (() => void)[] = []
  const begin = (reason: string) => {
    if (wish.signal.aborted) return
    since = now()
    note(`${reason}, stopping\n`)
    wish.abort()
  }
  const fail = (reason: string) => {
    code = 1
    begin(reason)
  }
  for (const signal of signals) {
    process.on(signal, () => {
      if (wish.signal.aborted && now() - since > SAME_WISH_MILLISECONDS) {
        for (const act of lastResorts) act()
        process.exit(AT_ONCE_EXIT_CODE)
      }
      begin(signal)
    })
  }
  process.on('uncaughtException', (error) => fail(`a bug: ${error.stack ?? error.message}`))
  // Whoever read our output may be gone; that is no reason to drop payments.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  launcher.onGone(() => begin('the process that started this one is gone'))
  return {
    signal: wish.signal,
    exitCode: () => code,
    fail,
    addLastResort: (act) => lastResorts.push(act),
    check: () => {
      if (wish.signal.aborted) throw new Interrupted('asked to stop')
    },
  }
}
