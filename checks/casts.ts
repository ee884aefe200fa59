import { isCode } from './source.ts'
import type { SourceFile } from './source.ts'
import { tokens } from './tokens.ts'

const DIRECTIVE = /@ts-(ignore|expect-error|nocheck)|(ox|es)lint-disable/

/** Types that only the compiler sees may hold a deliberate error. */
const isTypeTest = (path: string) => path.endsWith('.test-d.ts')

/** Places that switch the type checker or the linter off: `any`, `as unknown as`, directives in comments. */
export function casts(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap((file) => {
    const code = tokens(file.text)
    const found = code.flatMap(({ kind, text, line }, index) => {
      const [before, next, afterNext] = [-1, 1, 2].map((step) => code[index + step]?.text)
      const isType = before !== undefined && [':', 'as', '<', ',', '|', '=', 'is'].includes(before)
      if (kind === 'word' && text === 'any' && isType && next !== '(' && next !== ':') {
        return [`${file.path}:${line}: any`]
      }
      return kind === 'word' && before === 'as' && text === 'unknown' && next === 'as'
        ? [`${file.path}:${line}: as unknown as ${afterNext ?? ''}`]
        : []
    })
    const directives = file.text.split('\n').flatMap((line, index) => {
      const directive = DIRECTIVE.exec(line)?.[0]
      const own = file.path.startsWith('checks/casts')
      return directive === undefined || own || isTypeTest(file.path)
        ? []
        : [`${file.path}:${index + 1}: ${directive}`]
    })
    return [...found, ...directives]
  })
}
