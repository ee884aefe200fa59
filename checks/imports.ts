import { posix } from 'node:path'
import type { SourceFile } from './source.ts'
import { tokens } from './tokens.ts'

export interface Import {
  readonly line: number
  /** As written. */
  readonly specifier: string
  /** The file of ours that is meant, from the top folder; undefined for a package of others. */
  readonly path: string | undefined
}

const OURS = /^@florin\/(wire|sdk|server|sandbox|cli|dashboard)\/(.+)$/

function resolve(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  if (specifier === '@florin/sdk') return 'sdk/src/florin.ts'
  const [, workspace, rest] = OURS.exec(specifier) ?? []
  if (workspace === undefined || rest === undefined) return undefined
  return workspace === 'dashboard' ? `${workspace}/${rest}` : `${workspace}/src/${rest}`
}

/** Every module that a file names: import, import type, export from, import(). */
export function importsOf({ path, text }: SourceFile): readonly Import[] {
  const found = tokens(text)
  return found.flatMap(({ kind, text: specifier, line }, index) => {
    if (kind !== 'string') return []
    const before = found[index - 1]?.text
    const named =
      before === 'from' ||
      before === 'import' ||
      (before === '(' && found[index - 2]?.text === 'import')
    return named ? [{ line, specifier, path: resolve(path, specifier) }] : []
  })
}
