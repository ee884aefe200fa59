import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadMessage, LoadPlan, LoadReport } from './plan.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
/** Beyond the plan's own time: the last answers, and a slow machine. */
const GRACE_SECONDS = 60

/** Runs the callers of a plan in a process of their own. `onMeasuring` is called when the warm-up is over. */
export async function runLoad(
  plan: LoadPlan,
  onMeasuring: (pid: number) => void = () => undefined,
): Promise<LoadReport> {
  const child = fork(MAIN, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const done = Promise.withResolvers<LoadReport>()
  const secondsMax = plan.warmUpSeconds + plan.seconds + GRACE_SECONDS
  const timer = setTimeout(() => {
    done.reject(new Error(`the load did not end within ${secondsMax} s`))
  }, secondsMax * 1000)
  child.on('message', (message) => {
    const said = message as LoadMessage
    if (said.kind === 'measuring') onMeasuring(child.pid ?? 0)
    else done.resolve(said.report)
  })
  child.once('error', done.reject)
  child.once('exit', (code) => done.reject(new Error(`the load ended with ${code}`)))
  child.send(plan)
  try {
    return await done.promise
  } finally {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}
