import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./callers-main.ts', import.meta.url))
const SECONDS_MAX = 240

/** What callers ask of a facilitator, and what a good answer has in it. */
export interface CallersPlan {
  readonly baseUrl: string
  readonly apiKey: string
  readonly path: string
  /** JSON texts. */
  readonly bodies: readonly string[]
  readonly callers: number
  /** Found in every good answer; x402 says "no" with a 200, too. */
  readonly expects: string
  readonly load:
    | { readonly kind: 'round'; readonly warmUpSeconds: number; readonly seconds: number }
    /** Each body once, to the last answer, or for so long: what is not answered by then is refused. */
    | { readonly kind: 'once'; readonly secondsMax?: number }
}

export interface CallersReport {
  readonly seconds: number
  /** Of good answers, in the measured part. */
  readonly milliseconds: Float64Array
  /** Good answers, those of the warm-up too. */
  readonly good: number
  /** The first of the others, and how often. */
  readonly refused: Readonly<Record<string, number>>
  readonly refusedCount: number
}

export type CallersMessage =
  { readonly kind: 'measuring' } | { readonly kind: 'done'; readonly report: CallersReport }

/** Runs the plan in a process of its own; `onMeasuring` when the warm-up is over. */
export async function runCallers(
  plan: CallersPlan,
  onStart: (pid: number) => Promise<void>,
  onMeasuring: () => void,
): Promise<CallersReport> {
  const child = fork(MAIN, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const done = Promise.withResolvers<CallersReport>()
  const timer = setTimeout(
    () => done.reject(new Error(`the callers did not end within ${SECONDS_MAX} s`)),
    SECONDS_MAX * 1000,
  )
  child.on('message', (message) => {
    const said = message as CallersMessage
    if (said.kind === 'measuring') onMeasuring()
    else done.resolve(said.report)
  })
  child.once('error', done.reject)
  child.once('exit', (code) => done.reject(new Error(`the callers ended with ${code}`)))
  try {
    await onStart(child.pid ?? 0)
    child.send(plan)
    return await done.promise
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}
