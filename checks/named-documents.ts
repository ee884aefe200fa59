import { posix } from 'node:path'
import type { SourceFile } from './source.ts'

const NAMED = /\bdocs\/[\w/-]+\.md\b/g
const LINKED = /"\/docs\/([\w/-]+)/g

/** Documents that a source names or links without there being one; the links are those of the pages that `served` lists. */
export function missingDocuments(
  { path, text }: SourceFile,
  files: ReadonlySet<string>,
  served: readonly string[],
): readonly string[] {
  const named = [...text.matchAll(NAMED)]
    .filter(([name]) => !files.has(name))
    .map(([name]) => `${path}: no such document: ${name}`)
  const linked = [...text.matchAll(LINKED)]
    .filter(
      ([, page = '']) => !served.includes(posix.dirname(page)) || !files.has(`docs/${page}.md`),
    )
    .map(([, page = '']) => `${path}: not served: /docs/${page}`)
  return [...named, ...linked]
}
