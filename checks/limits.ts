import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'
import { tokens } from './tokens.ts'

/** The table and its parts. */
const HOME = /^server\/src\/kernel\/(\w+-)?limits\.ts$/

/** Names of the limits table that no code reads: a bound that bounds nothing. */
export function unusedLimits(
  names: readonly string[],
  files: readonly SourceFile[],
): readonly string[] {
  const read = new Set(
    files
      .filter((file) => isCode(file) && !isTest(file) && !HOME.test(file.path))
      .filter(({ text }) => text.includes('limits'))
      .flatMap(({ text }) => tokens(text).map((token) => token.text)),
  )
  return names.filter((name) => !read.has(name))
}
