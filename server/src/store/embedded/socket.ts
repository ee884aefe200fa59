import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = '.s.PGSQL.'
/** A socket's path has 107 bytes at most on Linux and 103 on macOS, with the lock file's ending. */
const PATH_BYTES_MAX = 98
const PORT_CHARACTERS = 5

/**
 * Where PostgreSQL listens beside the loopback: in the cluster itself, which is closed to everybody but its user and root. A message
 * over it costs a fifth less CPU on both sides. Undefined where the path would be too long.
 */
export function socketDirectory(cluster: string): string | undefined {
  const longest = join(cluster, PREFIX + '0'.repeat(PORT_CHARACTERS))
  return Buffer.byteLength(longest) <= PATH_BYTES_MAX ? cluster : undefined
}

/** Takes away what killed servers left, under whatever port. Only while none runs. */
export async function removeSockets(cluster: string): Promise<void> {
  const left = (await readdir(cluster)).filter((name) => name.startsWith(PREFIX))
  for (const name of left) await rm(join(cluster, name), { force: true })
}
