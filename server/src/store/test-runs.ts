import { chmod, mkdir, mkdtemp, readFile, readdir, realpath, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { endLeftovers } from './embedded/end-leftovers.ts'
import { listProcesses } from './embedded/processes.ts'

/** A database is about 300 small files: 12 ms to clone in memory, 300 ms on a slow disk. */
const MEMORY_DISK = '/dev/shm'
const MEMORY_BYTES_MIN = 1024 ** 3
const RUN_DIRECTORIES = 'FLORIN_TEST_RUN'

/** The directories around the clusters below a directory, those that `place.json` points to as well. */
async function findHomes(directory: string): Promise<string[]> {
  const homes: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.name === 'cluster') homes.push(entry.parentPath)
    if (entry.name !== 'place.json') continue
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8')
    const home = /"home":"([^"]+)"/.exec(text)?.[1]
    if (home !== undefined) homes.push(home)
  }
  return homes
}

/** Ends every PostgreSQL that runs on a cluster below a directory, and removes the directory. */
export async function removeTestDirectory(directory: string): Promise<void> {
  const surroundings = { supervisorPid: undefined, clock: systemClock, log: openLog('silent') }
  for (const home of await findHomes(directory)) {
    await endLeftovers({ cluster: join(home, 'cluster'), ...surroundings })
    await rm(home, { recursive: true, force: true })
  }
  await rm(directory, { recursive: true, force: true })
}

/** Where runs may keep databases, fastest first; the first may be unfit for running programs. */
async function places(): Promise<string[]> {
  const memory = await statfs(MEMORY_DISK).catch(() => undefined)
  const roomy = memory !== undefined && memory.bavail * memory.bsize >= MEMORY_BYTES_MIN
  return [...(roomy ? [MEMORY_DISK] : []), await realpath(tmpdir())]
}

/** The directories of the vitest run that this process belongs to, fastest first. */
export function testRunDirectories(): readonly string[] {
  const setting = process.env[RUN_DIRECTORIES]
  if (setting === undefined) throw new Error('this needs the global set-up of vitest.config.ts')
  return setting.split(delimiter)
}

/** An empty directory that goes with the run, and that an unprivileged user can reach. */
export async function newTestDirectory(on: 'disk' | 'memory'): Promise<string> {
  const run = testRunDirectories().at(on === 'memory' ? 0 : -1) ?? tmpdir()
  const directory = await mkdtemp(join(run, 'test-'))
  await chmod(directory, 0o711)
  return directory
}

/** Where runs keep their directories, each named after the process of its vitest; made where missing. */
async function runFolders(): Promise<string[]> {
  const folders = (await places()).map((place) =>
    join(place, `florin-test-runs-${process.getuid?.() ?? 0}`),
  )
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o711 })
  return folders
}

/** Removes the directories of killed runs with all that ran there. */
export async function removeEndedRuns(): Promise<void> {
  // A signal to a killed run may still succeed: where nobody reaps it, it stays a zombie.
  const alive = new Set((await listProcesses()).map(({ pid }) => pid))
  for (const runs of await runFolders()) {
    for (const old of await readdir(runs)) {
      if (!alive.has(Number.parseInt(old, 10))) await removeTestDirectory(join(runs, old))
    }
  }
}

/** Makes the directories of a new run, and removes those of killed ones. */
export async function openTestRun(): Promise<void> {
  await removeEndedRuns()
  const name = `${process.pid}-${Buffer.from(systemRandom.bytes(4)).toString('hex')}`
  const made: string[] = []
  for (const runs of await runFolders()) {
    const run = join(runs, name)
    await mkdir(run, { mode: 0o711 })
    made.push(run)
  }
  process.env[RUN_DIRECTORIES] = made.join(delimiter)
}

/** Removes the directories of this run, with all that still runs there. */
export async function closeTestRun(): Promise<void> {
  for (const run of testRunDirectories()) await removeTestDirectory(run)
}
