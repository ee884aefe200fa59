import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The repository's top folder. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** Everything that a build is made of; versions of packages are pinned by the manifest. */
const SOURCES = [
  'dashboard/index.html',
  'dashboard/package.json',
  'dashboard/build',
  'dashboard/public',
  'dashboard/src',
  'wire/src',
]
const LEFT_OUT = /\.test\.tsx?$/

async function filesBelow(path: string): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, path), { withFileTypes: true }).catch(() => undefined)
  if (entries === undefined) return [path]
  const found: string[] = []
  for (const entry of entries) {
    const below = `${path}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesBelow(below)))
    else found.push(below)
  }
  return found
}

/** Names the sources of the dashboard as they stand: 16 hex characters that change when one of them does. */
export async function sourceTag(): Promise<string> {
  const paths = (await Promise.all(SOURCES.map(filesBelow))).flat()
  const own = paths.filter((path) => !LEFT_OUT.test(path)).toSorted()
  const texts = await Promise.all(own.map((path) => readFile(join(ROOT, path))))
  const hash = createHash('sha256')
  for (const [index, path] of own.entries()) {
    const text = texts[index] ?? ''
    hash.update(`${path}\0${text.length}\0`).update(text)
  }
  return hash.digest('hex').slice(0, 16)
}
