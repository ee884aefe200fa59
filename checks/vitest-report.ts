import type { Counts } from './counts.ts'
import { isRecord } from './record.ts'

const records = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

/**
 * Counts what vitest's JSON reporter wrote. A file that failed without a failed test (its import or a hook broke)
 * counts as one failure, and so does a run that ended badly with nothing else to blame (an unhandled rejection, a
 * dead worker): a red run is never counted green. Undefined when the text is not such a report.
 */
export function countReport(text: string, exitCode: number | null): Counts | undefined {
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(report) || !Array.isArray(report['testResults'])) return undefined
  let passed = 0
  let failed = 0
  let skipped = 0
  for (const file of records(report['testResults'])) {
    const failedBefore = failed
    for (const { status } of records(file['assertionResults'])) {
      if (status === 'passed') passed += 1
      else if (status === 'failed') failed += 1
      else skipped += 1
    }
    if (file['status'] === 'failed' && failed === failedBefore) failed += 1
  }
  if (exitCode !== 0 && failed === 0) failed += 1
  return { passed, failed, skipped }
}
