/** How many tests of a run ended how. A static check counts as one test. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

export function addCounts(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  }
}

/** The last line of a run, plain text that a script can read. */
export function summaryLine({ passed, failed, skipped }: Counts): string {
  const line = `${passed} passed, ${failed} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}

/** A run that ran nothing has proved nothing. */
export function exitCode({ passed, failed }: Counts): 0 | 1 {
  return failed === 0 && passed > 0 ? 0 : 1
}
