import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeEndedRuns } from '@florin/server/store/test-runs.ts'
import { NOTHING } from './counts.ts'
import type { Counts } from './counts.ts'
import { runTool } from './tool.ts'
import { countReport, failuresOf } from './vitest-report.ts'

/** Runs vitest with its usual output on the terminal and counts from the report it writes to a file. */
export async function runVitest(options: {
  readonly filters?: readonly string[]
  readonly full?: boolean
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const outcome = await runTool(
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--reporter=default',
        '--reporter=json',
        '--reporter=./checks/unhandled-reporter.ts',
        `--outputFile.json=${reportFile}`,
        ...(options.filters ?? []),
      ],
      {
        show: true,
        timeoutSeconds: options.timeoutSeconds,
        signal: options.signal,
        env: { FLORIN_TEST_FULL: options.full === true ? '1' : '' },
      },
    )
    if (options.signal.aborted || outcome.timedOut) await removeEndedRuns()
    if (options.signal.aborted) return NOTHING
    if (outcome.timedOut) {
      process.stdout.write(`FAIL the tests did not end within ${options.timeoutSeconds} s\n`)
    }
    const report = await readFile(reportFile, 'utf8').catch(() => '')
    const failures = failuresOf(report)
    if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}\n`)
    const counts = countReport(report, outcome.exitCode)
    if (counts !== undefined) return counts
    process.stdout.write('FAIL vitest ended without a report\n')
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
