// The sandbox as a process. One JSON line on standard output when it is ready; everything else goes to standard error.
import { readArguments } from './arguments.ts'
import { Complaint } from './host/complaint.ts'
import { stderrLog } from './host/log.ts'
import { startSandbox } from './sandbox.ts'

const STOP_SECONDS = 15

try {
  const options = readArguments(process.argv.slice(2))
  const stopped = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => stopped.resolve())
  }
  if (options.parentPipe) {
    // The pipe ends when the parent does, even by SIGKILL.
    process.stdin.on('end', () => stopped.resolve())
    process.stdin.on('error', () => stopped.resolve())
    process.stdin.resume()
  }
  const sandbox = await startSandbox(options, stderrLog)
  process.stdout.on('error', () => stopped.resolve())
  process.stdout.write(`${JSON.stringify(sandbox.ready)}\n`)
  await stopped.promise
  setTimeout(() => {
    stderrLog(`not stopped after ${STOP_SECONDS} s; giving up`)
    sandbox.abandon()
    process.exit(1)
  }, STOP_SECONDS * 1000).unref()
  await sandbox.stop()
  process.exit(0)
} catch (error) {
  if (error instanceof Complaint) stderrLog(error.message)
  else stderrLog(error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.exit(1)
}
