import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isBuilt } from '@florin/dashboard/build/places.ts'
import type { BuildState } from '@florin/server/dashboard/not-built.ts'
import { dashboardPlaces, openOwnTag } from '../dashboard-pages.ts'
import type { Workshop } from './workshop.ts'

const MAIN = fileURLToPath(import.meta.resolve('@florin/dashboard/build/main.ts'))
/** Payments go first. */
const LOW_PRIORITY = 10
const TEXT_CHARACTERS_MAX = 4_000

/** How the build that `up` takes care of stands. */
export interface DashboardBuild {
  state(): BuildState
  /** Names the sources that it is of. */
  tag(): Promise<string>
  /** Begins it, unless the build of these sources is there; comes back at once. */
  begin(): void
}

/** Builds the dashboard beside a running service, in a process of its own that ends with this one. */
export function openDashboardBuild({
  paths,
  log,
  closers,
}: Pick<Workshop, 'paths' | 'log' | 'closers'>): DashboardBuild {
  let state: BuildState = 'building'
  const tag = openOwnTag()
  const places = dashboardPlaces(paths.directory)
  const run = async (): Promise<void> => {
    if (await isBuilt(places, await tag())) return
    const child = spawn(process.execPath, [MAIN, '--end-with-input', ...places.slice(1)], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-TEXT_CHARACTERS_MAX)
    })
    child.stdin.on('error', () => undefined)
    closers.add('the build of the dashboard', async () => {
      child.kill('SIGKILL')
    })
    if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY)
    await once(child, 'close')
    if (child.exitCode !== 0) throw new Error(said.trim() || 'its process was ended')
  }
  return {
    state: () => state,
    tag,
    begin: () => {
      run().catch((error: unknown) => {
        state = 'failed'
        log.warn({ reason: error }, 'the dashboard could not be built')
      })
    },
  }
}
