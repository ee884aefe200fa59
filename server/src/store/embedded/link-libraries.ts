import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

interface Link {
  readonly source: string
  readonly target: string
}

function parseLinks(text: string): Link[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error('pg-symlinks.json is not a list')
  return list.map((entry: unknown) => {
    if (
      typeof entry === 'object' &&
      entry !== null &&
      'source' in entry &&
      'target' in entry &&
      typeof entry.source === 'string' &&
      typeof entry.target === 'string' &&
      !`${entry.source}/${entry.target}`.split('/').includes('..')
    ) {
      return { source: entry.source, target: entry.target }
    }
    throw new Error('pg-symlinks.json has an entry that is no link')
  })
}

/**
 * Makes the library links that the package lists and npm cannot carry. Its install script would do
 * it, but none is run. Safe beside another start: each link appears whole, by rename.
 */
export async function linkLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of parseLinks(list)) {
    const path = join(packageDirectory, target)
    const wanted = relative(dirname(target), source)
    if ((await readlink(path).catch(() => undefined)) === wanted) continue
    const fresh = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
    try {
      await symlink(wanted, fresh)
      await rename(fresh, path)
    } finally {
      await rm(fresh, { force: true })
    }
  }
}
