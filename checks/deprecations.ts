import { deprecationProblems } from '@florin/wire/deprecation.ts'
import type { Endpoint } from '@florin/wire/endpoint.ts'
import type { SourceFile } from './source.ts'

/**
 * Deprecated rows that leave callers less time than they were promised, whose guide is no document, or that the change
 * log does not name under Deprecated.
 */
export function deprecatedRowProblems(
  rows: readonly Pick<Endpoint, 'id' | 'path' | 'deprecated'>[],
  files: readonly SourceFile[],
): readonly string[] {
  const paths = new Set(files.map(({ path }) => path))
  const log = files.find(({ path }) => path === 'CHANGELOG.md')?.text ?? ''
  const announced = [...log.matchAll(/^### Deprecated\n(.*?)(?=^##|(?![^]))/gms)].join('\n')
  return rows.flatMap(({ id, path, deprecated }) => {
    if (deprecated === undefined) return []
    const problems = [
      ...deprecationProblems(deprecated),
      ...(paths.has(`${deprecated.guide.slice(1)}.md`)
        ? []
        : [`has no document ${deprecated.guide}`]),
      ...(announced.includes(path) ? [] : ['is not under Deprecated in CHANGELOG.md']),
    ]
    return problems.map((problem) => `${id}: ${problem}`)
  })
}
