import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rename, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../kernel/log.ts'
import { isOpenTo } from './open-to.ts'
import type { RunAs } from './run-as.ts'
import { readIfThere, writeWhole } from './small-file.ts'

const SHARED_HOME = '/var/lib/florin'

/** Where the cluster and a copy of the binaries live: the data directory, or an open path. */
export interface Place {
  readonly home: string
  /** To be called once the cluster is there: from then on its absence is a loss, not a beginning. */
  settle(): Promise<void>
}

interface Note {
  readonly home: string
  readonly token: string
  readonly settled: boolean
}

function parseNote(text: string, path: string): Note {
  const note: unknown = JSON.parse(text)
  if (
    typeof note === 'object' &&
    note !== null &&
    'home' in note &&
    'token' in note &&
    'settled' in note &&
    typeof note.home === 'string' &&
    typeof note.token === 'string' &&
    typeof note.settled === 'boolean'
  ) {
    return { home: note.home, token: note.token, settled: note.settled }
  }
  throw new Error(`${path} is damaged`)
}

async function makeHome(directory: string, token: string, runAs: RunAs, log: Log): Promise<string> {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  try {
    await mkdir(SHARED_HOME, { recursive: true, mode: 0o711 })
    const home = join(SHARED_HOME, hash)
    if (await stat(home).catch(() => undefined)) {
      // Of an earlier data directory at this path. Perhaps only its disk is not mounted: keep it.
      const aside = `${home}.unclaimed-${randomUUID().slice(0, 8)}`
      await rename(home, aside)
      log.warn({ directory: aside }, 'set aside a database that no data directory claims')
    }
    await mkdir(home, { mode: 0o711 })
    await writeWhole(join(home, 'claim'), token, 0o600)
    if (await isOpenTo(home, runAs)) return home
  } catch (error) {
    log.debug({ reason: error }, `${SHARED_HOME} cannot be used`)
  }
  const home = await mkdtemp(join(tmpdir(), 'florin-'))
  await chmod(home, 0o711)
  await writeWhole(join(home, 'claim'), token, 0o600)
  if (!(await isOpenTo(home, runAs))) {
    throw new Error(`no directory can be reached by the unprivileged user ${runAs.uid}`)
  }
  log.warn({ directory: home }, 'the database lives in the system directory for temporary files')
  return home
}

/**
 * Chooses where the cluster lives. As root PostgreSQL runs as an unprivileged user, and a directory
 * below a closed one (/root) cannot be reached by it; then an open path is used, written down in
 * `place.json` of the data directory and claimed by a token on both sides.
 * @param directory with its links resolved
 */
export async function choosePlace(
  directory: string,
  runAs: RunAs | null,
  log: Log,
): Promise<Place> {
  const notePath = join(directory, 'place.json')
  const kept = await readIfThere(notePath)
  let note = kept === undefined ? undefined : parseNote(kept, notePath)
  if (note !== undefined) {
    const claim = await readIfThere(join(note.home, 'claim'))
    if (claim !== note.token) {
      if (note.settled) {
        throw new Error(
          `the database of ${directory} was in ${note.home} and is not there any more. Put it back, ` +
            `or remove ${notePath} to begin with an empty one.`,
        )
      }
      note = undefined
    }
  }
  const here = note === undefined && (runAs === null || (await isOpenTo(directory, runAs)))
  if (here) return { home: directory, settle: async () => undefined }
  if (await stat(join(directory, 'cluster')).catch(() => undefined)) {
    throw new Error(
      `the database in ${directory} cannot be reached by the user ${runAs?.uid} that PostgreSQL runs ` +
        `as, because a directory above it is closed. Open it: chmod o+x`,
    )
  }
  if (note === undefined && runAs !== null) {
    const token = randomUUID()
    note = { home: await makeHome(directory, token, runAs, log), token, settled: false }
    await writeWhole(notePath, JSON.stringify(note), 0o600)
  }
  const current = note
  if (current === undefined) throw new Error('unreachable: a place was neither kept nor made')
  return {
    home: current.home,
    settle: async () => {
      if (!current.settled) {
        await writeWhole(notePath, JSON.stringify({ ...current, settled: true }), 0o600)
      }
    },
  }
}
