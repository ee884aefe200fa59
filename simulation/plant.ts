import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Defect } from './defects.ts'

/**
 * Plants a defect in every module that is loaded from now on: exact pieces of source text are exchanged while Node reads the file. Nothing
 * of this is in the production code, and a piece that is not there any more stops everything.
 */
export function plant({ name, changes }: Defect): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const here = changes.filter(({ module }) => url.endsWith(`/server/src/${module}`))
      if (here.length === 0) return loaded
      const text = readFileSync(new URL(url), 'utf8')
      const source = here.reduce((changed, change) => exchange(changed, change, name), text)
      return { ...loaded, source }
    },
  })
}

/** The text with the one place changed; throws unless there is exactly one. */
export function exchange(
  text: string,
  { module, from, to }: Defect['changes'][number],
  defect: string,
): string {
  const [before, after, ...more] = text.split(from)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`the defect "${defect}" does not fit ${module} any more: ${from}`)
  }
  return `${before}${to}${after}`
}
