import { readFile } from 'node:fs/promises'

/** The unprivileged user that PostgreSQL runs as when we are root, which it refuses. Numeric. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
}

const NOBODY: RunAs = { uid: 65_534, gid: 65_534 }

/**
 * Picks the user from the text of /etc/passwd: `nobody`, else uid 65534, else the last unprivileged
 * line. initdb (not postgres) looks its own uid up there and gives up when it finds none, so a
 * listed user is better than a right-looking number.
 */
export function pickUnprivileged(passwd: string): RunAs {
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([, , uid, gid]) => /^[1-9]\d*$/.test(uid ?? '') && /^\d+$/.test(gid ?? ''))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  const found =
    users.find(({ name }) => name === 'nobody') ??
    users.find(({ uid }) => uid === NOBODY.uid) ??
    users.at(-1)
  return found === undefined ? NOBODY : { uid: found.uid, gid: found.gid }
}

/** Who PostgreSQL must run as, or null when it may run as ourselves. */
export async function unprivilegedUser(): Promise<RunAs | null> {
  if (process.getuid?.() !== 0) return null
  return pickUnprivileged(await readFile('/etc/passwd', 'utf8').catch(() => ''))
}
