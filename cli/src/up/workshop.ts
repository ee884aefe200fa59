import type { Config } from '@florin/server/config.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Log } from '@florin/server/kernel/log.ts'
import type { Random } from '@florin/server/kernel/random.ts'
import type { DataPaths } from '../data-paths.ts'
import type { DashboardBuild } from './build-dashboard.ts'
import type { Closers } from './closers.ts'
import type { Ending } from './ending.ts'
import type { Progress } from './progress.ts'

/** What every step of `up` works with. */
export interface Workshop {
  readonly config: Config
  readonly paths: DataPaths
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  readonly progress: Progress
  readonly ending: Ending
  readonly closers: Closers
  readonly dashboard: DashboardBuild
  /** Whether the sandbox's traders trade. */
  readonly market: boolean
}
