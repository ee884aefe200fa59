import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** One file of a build, as its list tells of it. */
export interface ListedFile {
  readonly type: string
  /** Its name changes with its content. */
  readonly hashed: boolean
  readonly encodings: readonly ('br' | 'gzip')[]
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** Below this a compressed form saves no packet. */
const COMPRESSED_FROM_BYTES = 1_000

/** Lists the files of a finished build and writes a compressed form beside each that gains by it. */
export async function listFiles(directory: string): Promise<Readonly<Record<string, ListedFile>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted()
  const listed: Record<string, ListedFile> = {}
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) throw new Error(`no media type is known for ${name}`)
    const bytes = await readFile(join(directory, name))
    const encodings: ('br' | 'gzip')[] = []
    if (bytes.length >= COMPRESSED_FROM_BYTES) {
      const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
      await writeFile(join(directory, `${name}.br`), brotliCompressSync(bytes, { params: quality }))
      await writeFile(join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      encodings.push('br', 'gzip')
    }
    listed[name.replaceAll('\\', '/')] = { type, hashed: name.startsWith('assets'), encodings }
  }
  return listed
}
