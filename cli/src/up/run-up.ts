import { constants } from 'node:fs'
import { access, mkdir, realpath, rename, rm } from 'node:fs/promises'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import type { CommandContext, Run } from '../command.ts'
import { dataPaths } from '../data-paths.ts'
import { giveBackMemory } from '../give-back-memory.ts'
import { writeOwner } from '../owner-file.ts'
import { configOrFail } from '../find-database.ts'
import { readArguments } from '../read-arguments.ts'
import { readSandboxFile } from '../sandbox-file.ts'
import { CommandFailed } from '../usage-error.ts'
import { openDashboardBuild } from './build-dashboard.ts'
import { claimDataDirectory } from './claim.ts'
import { openClosers } from './closers.ts'
import { Interrupted, openEnding } from './ending.ts'
import { findLauncher } from './launcher.ts'
import { openProgress } from './progress.ts'
import { localUrl } from './local-url.ts'
import { startEverything } from './start-everything.ts'
import type { Workshop } from './workshop.ts'

const clock = systemClock

/** `florin up`: everything in the foreground until a signal, the launcher's death or a part that cannot be kept alive. */
export const runUp: Run = async (context) => {
  const market = readArguments(context.args, { switches: ['market'] }).has('market')
  const launcher = await findLauncher(process.env, clock)
  const config = configOrFail(context.environment)
  const paths = dataPaths(await openDataDirectory(config.dataDirectory))
  const log = openLog(config.logLevel)
  const ending = openEnding({ launcher, note: context.note, now: clock.nowMilliseconds })
  const closers = openClosers(log)
  const progress = openProgress(context.note)
  const workshop = {
    ...{ config, paths, log, clock, random: systemRandom, progress, ending, closers },
    dashboard: openDashboardBuild({ paths, log, closers }),
    market,
  }

  const lock = await claimOrFail(workshop, context)
  const announce = (state: 'starting' | 'ready' | 'stopping', baseUrl: string | null) =>
    writeOwner(paths.owner, { state, baseUrl, launchers: launcher.identities })
  let failure: unknown
  try {
    await announce('starting', config.port === 0 ? null : localUrl(config.host, config.port))
    const text = await startAll(workshop, (baseUrl) => announce('ready', baseUrl))
    giveBackMemory()
    context.print(text)
    workshop.dashboard.begin()
    await once(ending.signal)
  } catch (error) {
    if (!(error instanceof Interrupted)) failure = error
  }
  // On a full disk, or without a free file descriptor, what runs is stopped all the same.
  await announce('stopping', null).catch((error: unknown) =>
    log.warn({ part: 'owner.json', reason: error }, 'nobody is told that this stops'),
  )
  await progress.step('stopping', closers.closeAll)
  lock.release()
  if (failure instanceof CommandFailed) throw failure
  if (failure !== undefined) log.debug({ err: failure }, 'could not start')
  if (failure instanceof Error) throw new CommandFailed(failure.message, { cause: failure })
  return ending.exitCode()
}

/** Its real path: children are recognised by it, whatever link a later start names. */
async function openDataDirectory(directory: string): Promise<string> {
  // As root PostgreSQL runs as another user and must be able to pass through; every file in it is closed by itself.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  try {
    await mkdir(directory, { recursive: true, mode })
    await access(directory, constants.W_OK | constants.X_OK)
    return await realpath(directory)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`the data directory cannot be used: ${reason}`, { cause: error })
  }
}

async function claimOrFail({ config, paths, ending }: Workshop, { note }: CommandContext) {
  const claim = await claimDataDirectory({
    lock: paths.lock,
    owner: paths.owner,
    clock,
    signal: ending.signal,
    onWait: (reason) => note(`${reason} ...\n`),
  })
  if (claim.ok) return claim.lock
  const { owner } = claim
  const where = owner?.baseUrl ?? 'without an address yet'
  throw new CommandFailed(
    `another florin runs on ${config.dataDirectory}: ${where}, process ${owner?.pid ?? 'unknown'}. ` +
      'Use that one, stop it, or set FLORIN_DATA_DIR and FLORIN_PORT.',
  )
}

/** The keys of the run before are kept aside: sandbox.json is there exactly while somebody is ready. */
async function startAll(workshop: Workshop, onReady: (baseUrl: string) => Promise<void>) {
  const { paths, closers } = workshop
  const setAside = async () => {
    if ((await readSandboxFile(paths.sandboxFile)) === undefined)
      await rm(paths.sandboxFile, { force: true })
    else await rename(paths.sandboxFile, paths.earlierSandboxFile)
  }
  await setAside()
  closers.add('sandbox.json', async () => {
    await setAside()
    for (const path of [paths.database, paths.faults]) await rm(path, { force: true })
  })
  return await startEverything(workshop, onReady)
}

async function once(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
