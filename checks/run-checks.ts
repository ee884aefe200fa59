// npm run check: static checks and the rules of the repository, without the tests of the code.
import { addCounts, exitCode, summaryLine } from './counts.ts'
import { runStaticChecks } from './static-checks.ts'
import { runVitest } from './run-vitest.ts'

const TIMEOUT_SECONDS = 300

const checked = await runStaticChecks()
const ruled = await runVitest({ filters: ['checks/'], timeoutSeconds: TIMEOUT_SECONDS })
const counts = addCounts(checked, ruled)
process.stdout.write(`\n${summaryLine(counts)}\n`)
process.exitCode = exitCode(counts)
