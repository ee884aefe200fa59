import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** The right to run on a data directory. */
export interface Lock {
  release(): void
}

const SQLITE_BUSY = 5

/**
 * Takes the exclusive lock of a file, or gives undefined when another process holds it. The lock is the system's own
 * (SQLite takes it with fcntl), so it ends with the process however that dies, and cannot be stale.
 * While it holds the lock, this process must not open the file again: closing any descriptor of it would drop the lock.
 */
export function takeLock(path: string): Lock | undefined {
  // Closed to others from the beginning: a reader could keep us out with a shared lock.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // No journal file: nothing is ever written under this lock.
    database.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      return undefined
    }
    throw error
  }
  return { release: () => database.close() }
}
