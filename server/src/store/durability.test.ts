import { afterEach, beforeEach, expect, test } from 'vitest'
import { join } from 'node:path'
import { newTestDirectory, removeTestDirectory } from './test-runs.ts'
import { until } from '../kernel/until.ts'
import { findClusterProcesses } from './embedded/cluster-processes.ts'
import { startPostgres } from './embedded/start-postgres.ts'
import type { EmbeddedPostgres } from './embedded/start-postgres.ts'
import { forTests } from './embedded/test-starts.ts'
import { migrate } from './migrate.ts'
import { CommitUnknown, openStore, StoreUnavailable } from './postgres.ts'
import type { Store } from './postgres.ts'

const WRITERS = 8
const COMMITS_BETWEEN_KILLS = 150

let directory: string
let postgres: EmbeddedPostgres
let store: Store
const start = () => startPostgres({ directory, ...forTests, durable: true })

beforeEach(async () => {
  directory = await newTestDirectory('disk')
  postgres = await start()
  await migrate({ url: postgres.ownerUrl, log: forTests.log })
  store = openStore({ url: postgres.ownerUrl, log: forTests.log })
})
afterEach(async () => {
  await store.close()
  await postgres.stop()
  await removeTestDirectory(directory)
})

/** What writers were told about each row that they tried to add. */
interface Told {
  readonly committed: string[]
  readonly refused: string[]
  readonly unknown: string[]
}

async function write(writer: number, told: Told, signal: AbortSignal): Promise<void> {
  for (let row = 0; !signal.aborted; row += 1) {
    const name = `${writer}-${row}`
    try {
      await store.inTransaction('service', async (tx) => {
        await tx.query('add', 'insert into followers (network) values ($1)', [name])
      })
      told.committed.push(name)
    } catch (error) {
      if (error instanceof StoreUnavailable) told.refused.push(name)
      else if (error instanceof CommitUnknown) told.unknown.push(name)
      else throw error
      await forTests.clock.sleep(5)
    }
  }
}

async function killPostmaster(): Promise<void> {
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.exited
}

async function killEverything(): Promise<void> {
  const { backends } = await findClusterProcesses(join(directory, 'cluster'))
  for (const pid of [postgres.pid, ...backends.map((backend) => backend.pid)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It was quicker.
    }
  }
  await postgres.exited
}

test('killed under load, every acknowledged commit is there and every refused one is not', async () => {
  const told: Told = { committed: [], refused: [], unknown: [] }
  const stop = new AbortController()
  const writers = Array.from({ length: WRITERS }, (_, index) => write(index, told, stop.signal))
  const moreCommits = async () => {
    const goal = told.committed.length + COMMITS_BETWEEN_KILLS
    await until('more commits', () => told.committed.length >= goal, { seconds: 60 })
  }
  for (const kill of [killPostmaster, killEverything, killPostmaster]) {
    await moreCommits()
    await kill()
    const failures = told.refused.length
    await until('writers are told', () => told.refused.length > failures, { seconds: 30 })
    postgres = await start()
  }
  await moreCommits()
  stop.abort()
  await Promise.all(writers)

  const rows = await store.query<{ network: string }>('all', 'select network from followers')
  const found = new Set(rows.map(({ network }) => network))
  expect(told.committed.filter((name) => !found.has(name))).toEqual([])
  expect(told.refused.filter((name) => found.has(name))).toEqual([])
  const known = new Set([...told.committed, ...told.unknown])
  expect([...found].filter((name) => !known.has(name))).toEqual([])
})
