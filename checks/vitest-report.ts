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

const MESSAGE_LINES_MAX = 12

/**
 * What failed, a text each: the file, the test, and the beginning of what it said. For the end of a run, where a reader looks first and
 * where a log that was cut still has it. Empty when the text is not a report.
 */
export function failuresOf(text: string): readonly string[] {
  let report: unknown
  try {
    report = JSON.parse(text)
  } catch {
    return []
  }
  if (!isRecord(report)) return []
  return records(report['testResults']).flatMap((file) => {
    const failed = records(file['assertionResults']).filter(({ status }) => status === 'failed')
    if (failed.length === 0 && file['status'] === 'failed') {
      return [failure(file['name'], 'the file itself', [file['message']])]
    }
    return failed.map((test) => failure(file['name'], test['fullName'], test['failureMessages']))
  })
}

function failure(file: unknown, name: unknown, messages: unknown): string {
  const said = Array.isArray(messages) ? messages.map(String).join('\n').trimEnd() : ''
  const lines = said.split('\n').slice(0, MESSAGE_LINES_MAX)
  return [
    `failed: ${String(file)} > ${String(name)}`,
    ...lines.map((line) => `failed:   ${line}`),
  ].join('\n')
}
