import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { openStore } from '@florin/server/store/postgres.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import type { BenchContext } from './bench.ts'

/** A PostgreSQL of a bench's own with the service's tables and nothing in them, gone when the bench ends. `owner` passes every wall. */
export async function openOwnDatabase(
  defer: BenchContext['defer'],
): Promise<{ readonly owner: pg.Client; readonly store: Store }> {
  const log = openLog('silent')
  const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
  defer(() => rm(directory, { recursive: true, force: true }))
  const surroundings = { log, clock: systemClock, random: systemRandom }
  const postgres = await startPostgres({ directory: join(directory, 'db'), ...surroundings })
  defer(postgres.stop)
  await migrate({ url: postgres.ownerUrl, log })
  const owner = new pg.Client({ connectionString: postgres.ownerUrl.reveal() })
  await owner.connect()
  defer(() => owner.end())
  const store = openStore({ url: postgres.ownerUrl, log })
  defer(store.close)
  return { owner, store }
}
