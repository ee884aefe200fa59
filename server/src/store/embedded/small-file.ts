import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Reads a file, or undefined when it is not there. Any other trouble is thrown. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes what was renamed or created in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a file whole or not at all: new bytes on disk under another name first, then renamed. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const fresh = `${path}.new-${process.pid}`
  const handle = await open(fresh, 'w', mode)
  try {
    await handle.chmod(mode)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, path)
  await syncDirectory(dirname(path))
}
