import { mkdir, mkdtemp, readFile, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { endLeftovers } from './embedded/end-leftovers.ts'

/** A database is about 300 small files: 12 ms to clone in memory, 300 ms on a slow disk. */
const MEMORY_DISK = '/dev/shm'
const MEMORY_BYTES_MIN = 1024 ** 3

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Ends the PostgreSQL of test runs that were killed, and removes what they left. */
async function sweep(runs: string): Promise<void> {
  const log = openLog('silent')
  for (const name of await readdir(runs)) {
    const run = join(runs, name)
    const owner = await readFile(join(run, 'pid'), 'utf8').catch(() => name)
    if (isAlive(Number.parseInt(owner, 10))) continue
    const cluster = join(run, 'postgres', 'cluster')
    await endLeftovers({ cluster, supervisorPid: undefined, clock: systemClock, log })
    await rm(run, { recursive: true, force: true })
  }
}

/** Where tests may keep databases, fastest first; the first may be unfit for running programs. */
export async function testPlaces(): Promise<string[]> {
  const memory = await statfs(MEMORY_DISK).catch(() => undefined)
  const roomy = memory !== undefined && memory.bavail * memory.bsize >= MEMORY_BYTES_MIN
  return [...(roomy ? [MEMORY_DISK] : []), tmpdir()]
}

/** Makes a directory for this run in each usable place, best first, and clears those of killed runs. */
export async function openTestRun(): Promise<string[]> {
  const made: string[] = []
  for (const place of await testPlaces()) {
    const runs = join(place, `florin-test-runs-${process.getuid?.() ?? 0}`)
    await mkdir(runs, { recursive: true, mode: 0o711 })
    await sweep(runs)
    const run = await mkdtemp(join(runs, `${process.pid}-`))
    await writeFile(join(run, 'pid'), String(process.pid))
    made.push(run)
  }
  return made
}
