import { mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Random } from '../../kernel/random.ts'
import { Secret } from '../../kernel/secret.ts'
import { awaitReady } from './await-ready.ts'
import { prepareBinaries } from './binaries.ts'
import { checkVersion, configure, initialise, OWNER } from './cluster.ts'
import { embeddedLimits } from './embedded-limits.ts'
import { endLeftovers } from './end-leftovers.ts'
import { describePackage, installedPackageDirectory } from './package.ts'
import { ownerPassword } from './password.ts'
import { choosePlace } from './place.ts'
import { choosePort } from './port.ts'
import type { RunAs } from './run-as.ts'
import { unprivilegedUser } from './run-as.ts'
import { openServerLog } from './server-log.ts'
import { readIfThere, writeWhole } from './small-file.ts'
import { removeSockets, socketDirectory } from './socket.ts'
import { spawnPostmaster } from './spawn-postmaster.ts'
import type { ExitFacts } from './spawn-postmaster.ts'

/** A running PostgreSQL of our own. */
export interface EmbeddedPostgres {
  /** The superuser's address: for migrations, and for the service, which steps down to its role. */
  readonly ownerUrl: Secret
  /** The same over its socket, for a process of the same user; that of the loopback where it has none. */
  readonly socketUrl: Secret
  readonly pid: number
  readonly port: number
  /** Settles when the postmaster is gone, asked for or not. Then startPostgres may be called again. */
  readonly exited: Promise<ExitFacts>
  /** Fast shutdown, bounded. May be called more than once. */
  stop(): Promise<void>
}

/** Root runs an existing cluster as the user who owns it. */
async function userFor(cluster: string, chosen: RunAs | null): Promise<RunAs | null> {
  const facts = await stat(cluster).catch(() => undefined)
  return chosen === null || facts === undefined || facts.uid === 0
    ? chosen
    : { uid: facts.uid, gid: facts.gid }
}

async function earlierSupervisor(path: string): Promise<number | undefined> {
  const pid = Number(await readIfThere(path))
  return Number.isInteger(pid) && pid > 1 ? pid : undefined
}

/**
 * Starts PostgreSQL on a data directory, making it at first use and recovering it after any crash.
 * What an earlier run left running on it is ended; one whose starter still lives is refused.
 * @param durable false gives up durability for speed: tests only.
 * @param packageDirectory where the binaries are; that of the installed package unless told otherwise.
 * @throws {Error} with a sentence for the operator.
 */
export async function startPostgres({
  directory: given,
  log,
  clock,
  random,
  durable = true,
  packageDirectory = installedPackageDirectory(),
}: {
  directory: string
  log: Log
  clock: Clock
  random: Random
  durable?: boolean
  packageDirectory?: string
}): Promise<EmbeddedPostgres> {
  const unprivileged = await unprivilegedUser()
  await mkdir(given, { recursive: true, mode: unprivileged === null ? 0o700 : 0o711 })
  const directory = await realpath(given)
  const source = await describePackage(packageDirectory)
  const place = await choosePlace(directory, unprivileged, log)
  const cluster = join(place.home, 'cluster')
  const exists = await checkVersion(cluster, source.major)
  const runAs = await userFor(cluster, unprivileged)
  const supervisorPath = join(directory, 'supervisor')
  await endLeftovers({
    cluster,
    supervisorPid: await earlierSupervisor(supervisorPath),
    clock,
    log,
  })
  await writeWhole(supervisorPath, `${process.pid}\n`, 0o600)

  const binaries = await prepareBinaries({ source, home: place.home, runAs })
  const password = await ownerPassword(directory, random)
  if (!exists) {
    log.info({ directory: cluster }, 'making the database')
    await initialise({ home: place.home, cluster, binaries, password, runAs, durable })
  }
  await place.settle()
  await configure(cluster, runAs, durable)
  await removeSockets(cluster)

  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(directory)
    const addressAt = (host: string) => `postgres://${OWNER}:${password.reveal()}@${host}:${port}`
    const address = addressAt('127.0.0.1')
    const sockets = socketDirectory(cluster)
    const serverLog = await openServerLog(directory, clock)
    const postmaster = await spawnPostmaster({
      postgres: binaries.postgres,
      cluster,
      port,
      runAs,
      logDescriptor: serverLog.descriptor,
      clock,
    })
    try {
      await awaitReady(new Secret(`${address}/postgres`), clock, postmaster.gone)
    } catch (cause) {
      const early = postmaster.gone.aborted
      await postmaster.stop()
      const tail = await serverLog.tail()
      await serverLog.close()
      if (early && attempt < embeddedLimits.startAttemptsMax) {
        // The port was taken in between, or shared memory of a dying process was still held.
        log.warn({ attempt, serverLog: tail }, 'PostgreSQL ended while it was starting')
        await clock.sleep(embeddedLimits.startPauseMilliseconds)
        continue
      }
      const reason = cause instanceof Error ? cause.message : 'PostgreSQL did not start'
      throw new Error(`${reason}; ${serverLog.path} ends with:\n${tail}`, { cause })
    }
    const exited = postmaster.exited.then(async (facts) => {
      await serverLog.close()
      return facts
    })
    return {
      ownerUrl: new Secret(`${address}/${OWNER}`),
      socketUrl: new Secret(
        `${sockets === undefined ? address : addressAt(encodeURIComponent(sockets))}/${OWNER}`,
      ),
      pid: postmaster.pid,
      port,
      exited,
      stop: async () => {
        await postmaster.stop()
        await exited
      },
    }
  }
}
