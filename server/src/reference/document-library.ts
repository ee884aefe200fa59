import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of docs/ that the site shows. */
export interface Document {
  /** Its folder in docs/. */
  readonly folder: string
  /** Its name without `.md`. */
  readonly name: string
  readonly source: string
}

/** Where the documents of this installation are. */
export const DOCUMENTS_DIRECTORY = fileURLToPath(new URL('../../../docs', import.meta.url))

/** Folders that the site shows. Decisions and measurements are for those who work on the service. */
export const SERVED_FOLDERS = ['guides', 'concepts', 'operating', 'errors']

/** Reads every document once, in a fixed order. A folder that is not there has none. */
export async function readDocuments(directory: string): Promise<readonly Document[]> {
  const found = await Promise.all(SERVED_FOLDERS.map((folder) => readFolder(directory, folder)))
  return found.flat()
}

async function readFolder(directory: string, folder: string): Promise<readonly Document[]> {
  const names = await readdir(join(directory, folder)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const pages = names.filter((name) => name.endsWith('.md')).sort()
  return await Promise.all(
    pages.map(async (name) => ({
      folder,
      name: name.slice(0, -'.md'.length),
      source: await readFile(join(directory, folder, name), 'utf8'),
    })),
  )
}
