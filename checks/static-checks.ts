import { addCounts, NOTHING } from './counts.ts'
import type { Counts } from './counts.ts'
import { runTool } from './tool.ts'

const TIMEOUT_SECONDS = 300

/** Type-aware rules and "no warnings" are switched on in .oxlintrc.json. */
const LINT = ['node_modules/oxlint/bin/oxlint', '--format=unix']

const STATIC_CHECKS = [
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  { name: 'lint', args: LINT },
  { name: 'format', args: ['node_modules/prettier/bin/prettier.cjs', '--check', '.'] },
] as const

async function runOne(
  { name, args }: (typeof STATIC_CHECKS)[number],
  signal: AbortSignal,
): Promise<Counts> {
  const options = { timeoutSeconds: TIMEOUT_SECONDS, signal }
  const { exitCode, output, seconds } = await runTool(args, options)
  if (signal.aborted) return NOTHING
  const ok = exitCode === 0
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)\n`)
  if (!ok) process.stdout.write(`${output.trimEnd()}\n`)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
}

/** Types, lint and format, side by side; each counts as one test. */
export async function runStaticChecks(signal: AbortSignal): Promise<Counts> {
  const results = await Promise.all(STATIC_CHECKS.map((check) => runOne(check, signal)))
  return results.reduce(addCounts, NOTHING)
}
