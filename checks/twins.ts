import { posix } from 'node:path'
import { isTest } from './source.ts'
import type { SourceFile } from './source.ts'

/** Files that one family has and the other cannot need, each with its reason. */
export const EXTRAS: Readonly<Record<string, string>> = {}

interface Family {
  readonly family: string
  readonly names: ReadonlySet<string>
}

function familyFiles(family: string, files: readonly SourceFile[]): Family {
  const members = files.filter(
    (file) => posix.dirname(file.path) === `server/src/chains/${family}` && !isTest(file),
  )
  return { family, names: new Set(members.map(({ path }) => posix.basename(path))) }
}

/** Files that implement the chain port for one family only. Nothing to compare while there is one family. */
export function missingTwins(
  files: readonly SourceFile[],
  extras: Readonly<Record<string, string>> = EXTRAS,
): readonly string[] {
  const [evm, solana] = [familyFiles('evm', files), familyFiles('solana', files)]
  if (evm.names.size === 0 || solana.names.size === 0) return []
  const missing = (from: Family, to: Family) =>
    [...from.names]
      .filter((name) => !to.names.has(name) && !(`${from.family}/${name}` in extras))
      .map((name) => `chains/${from.family}/${name} has no twin in chains/${to.family}`)
  return [...missing(evm, solana), ...missing(solana, evm)]
}
