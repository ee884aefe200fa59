import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a small private file (mode 0600) so that it is either wholly there after a crash or not at all. */
export function writeSecretFile(path: string, text: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Replaces `path` by the given parts and keeps what was there as `previous`. When it resolves, the bytes are on
 * disk under their name; after a crash at any moment at least one of the two names holds a whole file.
 */
export async function replaceDurably(
  path: string,
  previous: string,
  parts: readonly (string | Uint8Array)[],
): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
  } finally {
    await file.close()
  }
  if (existsSync(path)) await rename(path, previous)
  await rename(temporary, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
