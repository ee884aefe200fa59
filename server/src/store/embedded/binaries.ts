import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { embeddedLimits } from './embedded-limits.ts'
import { linkLibraries } from './link-libraries.ts'
import type { BinaryPackage } from './package.ts'
import type { RunAs } from './run-as.ts'
import { runTool } from './run-tool.ts'

const COPY_PREFIX = 'postgresql-'

/** A directory with bin/postgres and bin/initdb that the given user can run. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

async function tryFrom(packageDirectory: string, runAs: RunAs | null): Promise<Binaries> {
  await linkLibraries(packageDirectory)
  const bin = join(packageDirectory, 'native', 'bin')
  const binaries = { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }
  const seconds = embeddedLimits.probeSeconds
  for (const file of [binaries.postgres, binaries.initdb]) {
    await runTool(file, ['--version'], { runAs, seconds })
  }
  return binaries
}

/** Whatever umask the install ran under: everyone may read, and run what its owner may run. */
async function openForReading(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) continue
    const runnable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0
    await chmod(path, runnable ? 0o755 : 0o644)
  }
}

async function copyInto(home: string, source: BinaryPackage): Promise<string> {
  const copy = join(home, `${COPY_PREFIX}${source.version}`)
  if (await stat(copy).catch(() => undefined)) return copy
  const staging = await mkdtemp(join(home, `${COPY_PREFIX}new-`))
  try {
    await cp(join(source.directory, 'native'), join(staging, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await openForReading(staging)
    await rename(staging, copy).catch(async (error: unknown) => {
      // Another start finished the same copy first.
      if ((await stat(copy).catch(() => undefined)) === undefined) throw error
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return copy
}

/**
 * Gives binaries that the user can run: those of the package where it can be written and reached,
 * else a copy of them in `home`. Copies of other versions are removed.
 */
export async function prepareBinaries({
  source,
  home,
  runAs,
}: {
  source: BinaryPackage
  home: string
  runAs: RunAs | null
}): Promise<Binaries> {
  let inPlace: Binaries | undefined
  let trouble: unknown
  try {
    inPlace = await tryFrom(source.directory, runAs)
  } catch (error) {
    trouble = error
  }
  await mkdir(home, { recursive: true })
  const current = inPlace === undefined ? `${COPY_PREFIX}${source.version}` : undefined
  for (const name of await readdir(home)) {
    if (name.startsWith(COPY_PREFIX) && name !== current) {
      await rm(join(home, name), { recursive: true, force: true })
    }
  }
  if (inPlace !== undefined) return inPlace
  const copy = await copyInto(home, source)
  try {
    return await tryFrom(copy, runAs)
  } catch {
    // A copy cut short by a power failure: once more from the start.
    await rm(copy, { recursive: true, force: true })
    try {
      return await tryFrom(await copyInto(home, source), runAs)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(trouble)
      throw new Error(`the PostgreSQL that comes with the project does not run: ${reason}`, {
        cause: error,
      })
    }
  }
}
