import { chown, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret } from '../../kernel/secret.ts'
import type { Binaries } from './binaries.ts'
import { embeddedLimits } from './embedded-limits.ts'
import type { RunAs } from './run-as.ts'
import { runTool } from './run-tool.ts'
import { ACCESS_RULES, settings } from './settings.ts'
import { readIfThere, syncDirectory } from './small-file.ts'

const STAGING_PREFIX = 'cluster.new-'

/** The database's own superuser and its first database. */
export const OWNER = 'florin'

/**
 * Refuses a data directory of another major version: there is no upgrade program among the binaries.
 * @returns whether there is a cluster at all.
 */
export async function checkVersion(cluster: string, major: number): Promise<boolean> {
  const stamp = (await readIfThere(join(cluster, 'PG_VERSION')))?.trim()
  if (stamp === undefined || stamp === String(major)) return stamp !== undefined
  throw new Error(
    `the database in ${cluster} was made by PostgreSQL ${stamp}, and this version of florin ` +
      `brings PostgreSQL ${major}. Start it with the version of florin that made it, ` +
      `or name another data directory.`,
  )
}

async function give(path: string, runAs: RunAs | null): Promise<void> {
  if (runAs !== null) await chown(path, runAs.uid, runAs.gid)
}

/** Makes the cluster in a directory of another name and renames it: it is there whole, or not at all. */
export async function initialise({
  home,
  cluster,
  binaries,
  password,
  runAs,
  durable,
}: {
  home: string
  cluster: string
  binaries: Binaries
  password: Secret
  runAs: RunAs | null
  durable: boolean
}): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(STAGING_PREFIX)) continue
    // One that an initdb of a killed start still fills goes at a later start.
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined)
  }
  const staging = await mkdtemp(join(home, STAGING_PREFIX))
  const passwordFile = join(home, `${STAGING_PREFIX}password`)
  try {
    await give(staging, runAs)
    await writeFile(passwordFile, `${password.reveal()}\n`, { mode: 0o600 })
    await give(passwordFile, runAs)
    const choices = [
      ...['-D', staging, '-U', OWNER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ]
    const seconds = embeddedLimits.initialiseSeconds
    await runTool(binaries.initdb, choices, { runAs, seconds }).catch((error: unknown) => {
      if (!String(error).includes('could not look up effective user ID')) throw error
      throw new Error(
        `PostgreSQL cannot be set up by user ${runAs?.uid ?? process.getuid?.()}, who has no line ` +
          `in /etc/passwd. Add one, or set DATABASE_URL to a PostgreSQL of your own.`,
        { cause: error },
      )
    })
    await rename(staging, cluster)
    await syncDirectory(home)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(staging, { recursive: true, force: true })
  }
}

/** Writes the cluster's settings anew. PostgreSQL only reads them, so they may stay ours. */
export async function configure(cluster: string, runAs: RunAs | null, durable: boolean) {
  const files = { 'postgresql.conf': settings(cluster, durable), 'pg_hba.conf': ACCESS_RULES }
  for (const [name, text] of Object.entries(files)) {
    const path = join(cluster, name)
    if ((await readIfThere(path)) === text) continue
    const fresh = `${path}.new`
    await writeFile(fresh, text, { mode: 0o600 })
    await give(fresh, runAs)
    await rename(fresh, path)
  }
}
