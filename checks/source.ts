import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './tool.ts'

/** A text file of the repository; the path is relative to the top folder, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const LEFT_OUT = new Set(['node_modules', 'dist', '.git', '.florin', 'package-lock.json'])
const TEXT =
  /(^|\/)(\.?[\w-]+|[\w.-]+\.(ts|tsx|js|json|md|sql|sol|sh|yaml|yml|toml|example|html|css))$/

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (LEFT_OUT.has(entry.name) || entry.name.endsWith('.log')) continue
    if (entry.isDirectory()) yield* walk(path)
    else if (entry.isFile() && TEXT.test(path)) yield path
  }
}

/** Every text file that belongs to the repository, in one fixed order. Reads folders, not git, so it works anywhere. */
export function repositoryFiles(): readonly SourceFile[] {
  return [...walk('')]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** TypeScript and JavaScript that we wrote, without the fixtures that break rules on purpose. */
export function isCode({ path }: SourceFile): boolean {
  return /\.(tsx?|js)$/.test(path) && !path.startsWith('checks/fixtures/')
}

/** Tests and what only tests use. */
export function isTest({ path }: SourceFile): boolean {
  return /\.(test|full)\.ts$|(^|\/)test-[\w-]+\.ts$|^(e2e|checks|bench|simulation)\//.test(path)
}
