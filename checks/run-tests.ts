// npm test: static checks, then every *.test.ts. npm run test:full: only the long forms (*.full.ts), so that
// the two together run everything once.
import { addCounts, exitCode, NOTHING, summaryLine } from './counts.ts'
import { openInterruption } from './interruption.ts'
import { runStaticChecks } from './static-checks.ts'
import { runVitest } from './run-vitest.ts'

const TIMEOUT_SECONDS = 60 * 60
const FULL_TIMEOUT_SECONDS = 44 * 60

const interruption = openInterruption()
const full = process.argv.includes('--full')
const checked = full ? NOTHING : await runStaticChecks(interruption.signal)
const timeoutSeconds = full ? FULL_TIMEOUT_SECONDS : TIMEOUT_SECONDS
const counts = addCounts(
  checked,
  await runVitest({ full, timeoutSeconds, signal: interruption.signal }),
)
process.stdout.write(`\n${summaryLine(counts)}\n`)
process.exitCode = interruption.exitCode() ?? exitCode(counts)
