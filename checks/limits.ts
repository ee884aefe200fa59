import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'
import { tokens } from './tokens.ts'

const HOME = 'server/src/kernel/limits.ts'

/** Names of the limits table that no code reads: a bound that bounds nothing. */
export function unusedLimits(
  names: readonly string[],
  files: readonly SourceFile[],
): readonly string[] {
  const read = new Set(
    files
      .filter((file) => isCode(file) && !isTest(file) && file.path !== HOME)
      .filter(({ text }) => text.includes('limits'))
      .flatMap(({ text }) => tokens(text).map((token) => token.text)),
  )
  return names.filter((name) => !read.has(name))
}
