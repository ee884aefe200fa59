import type { Reporter } from 'vitest/node'

const STACK_LINES_MAX = 12

/** Names at the end of a run what no test is to blame for: rejections nobody handled and workers that died, which the JSON report leaves out. */
export default class UnhandledReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (_modules, errors) => {
    for (const error of errors) {
      const lines = (error.stack ?? error.message).split('\n').slice(0, STACK_LINES_MAX)
      process.stdout.write(`${lines.map((line) => `failed: ${line}`).join('\n')}\n`)
    }
  }
}
