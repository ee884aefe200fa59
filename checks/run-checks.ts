// npm run check: static checks and the rules of the repository, without the tests of the code.
import { addCounts, exitCode, summaryLine } from './counts.ts'
import { openInterruption } from './interruption.ts'
import { runStaticChecks } from './static-checks.ts'
import { runVitest } from './run-vitest.ts'

const TIMEOUT_SECONDS = 300

const { signal, exitCode: interrupted } = openInterruption()
const checked = await runStaticChecks(signal)
const ruled = await runVitest({ filters: ['checks/'], timeoutSeconds: TIMEOUT_SECONDS, signal })
const counts = addCounts(checked, ruled)
process.stdout.write(`\n${summaryLine(counts)}\n`)
process.exitCode = interrupted() ?? exitCode(counts)
