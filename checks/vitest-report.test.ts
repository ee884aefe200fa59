import { expect, test } from 'vitest'
import { exitCode, summaryLine } from './counts.ts'
import { countReport, failuresOf } from './vitest-report.ts'

const report = (...files: { status: string; tests: string[] }[]) =>
  JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((outcome) => ({ status: outcome })),
    })),
  })

test('passed, failed and skipped tests are counted one by one', () => {
  const text = report(
    { status: 'failed', tests: ['passed', 'failed', 'passed'] },
    { status: 'passed', tests: ['passed', 'skipped', 'todo', 'pending'] },
  )
  expect(countReport(text, 1)).toEqual({ passed: 3, failed: 1, skipped: 3 })
})

test('a file whose import or hook broke counts as a failure', () => {
  const text = report({ status: 'failed', tests: [] }, { status: 'passed', tests: ['passed'] })
  expect(countReport(text, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test('a run that ended badly though every test passed counts as a failure', () => {
  const text = report({ status: 'passed', tests: ['passed'] })
  expect(countReport(text, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  expect(countReport(text, null)).toEqual({ passed: 1, failed: 1, skipped: 0 })
  expect(countReport(text, 0)).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('what is not a report is not counted', () => {
  for (const text of ['', '{', 'null', '[]', '{"testResults":3}']) {
    expect(countReport(text, 0)).toBeUndefined()
  }
})

test('the last line names skipped tests only when there are some', () => {
  expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed')
  expect(summaryLine({ passed: 12, failed: 1, skipped: 2 })).toBe('12 passed, 1 failed, 2 skipped')
})

test('a run that failed or ran nothing does not exit with 0', () => {
  expect(exitCode({ passed: 1, failed: 0, skipped: 0 })).toBe(0)
  expect(exitCode({ passed: 1, failed: 1, skipped: 0 })).toBe(1)
  expect(exitCode({ passed: 0, failed: 0, skipped: 5 })).toBe(1)
})

test('what failed is named with its file and the beginning of what it said', () => {
  const said = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
  const text = JSON.stringify({
    testResults: [
      {
        name: '/a/b.test.ts',
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'one', failureMessages: [] },
          { status: 'failed', fullName: 'two', failureMessages: [said] },
        ],
      },
      { name: '/a/c.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  })
  const [two, broken, ...more] = failuresOf(text)
  expect(two?.split('\n').slice(0, 2)).toEqual(['failed: /a/b.test.ts > two', 'failed:   line 0'])
  expect(two?.split('\n')).toHaveLength(13)
  expect(broken).toBe('failed: /a/c.test.ts > the file itself\nfailed:   no such module')
  expect(more).toEqual([])
  expect(failuresOf('no report')).toEqual([])
})
