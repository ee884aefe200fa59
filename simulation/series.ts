import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { WorldReport } from './run-world.ts'

export interface WorkerData {
  readonly databaseUrl: string
  /** Name of the defect to plant, undefined for the service as it is. */
  readonly defect: string | undefined
}

/** A thread that lives through one world after the other, on a database of its own. */
export interface Series {
  run(seed: number, wholeTrace?: boolean): Promise<WorldReport>
  stop(): Promise<void>
}

export async function openSeries({ defect }: { defect?: string } = {}): Promise<Series> {
  const database = await openTestDatabase()
  const data: WorkerData = { databaseUrl: database.url.reveal(), defect }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: data,
    execArgv: [],
  })
  const died = once(worker, 'error').then(([error]: unknown[]) => Promise.reject(error as Error))
  died.catch(() => undefined)
  return {
    run: async (seed, wholeTrace = false) => {
      worker.postMessage({ seed, wholeTrace })
      const [message] = (await Promise.race([once(worker, 'message'), died])) as [
        { report: WorldReport } | { failure: string },
      ]
      if ('failure' in message) throw new Error(`world ${seed}: ${message.failure}`)
      return message.report
    },
    stop: async () => {
      const ended = once(worker, 'exit')
      worker.postMessage('stop')
      await Promise.race([ended, died]).catch(() => undefined)
      await database.close()
    },
  }
}

/** Runs seeds on several threads at once; the reports in the order of the seeds. */
export async function runSeeds(
  seeds: readonly number[],
  threads: number,
): Promise<readonly WorldReport[]> {
  const left = [...seeds.entries()]
  const reports: WorldReport[] = []
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const series = await openSeries()
      try {
        for (let next = left.shift(); next !== undefined; next = left.shift()) {
          const [index, seed] = next
          reports[index] = await series.run(seed)
        }
      } finally {
        await series.stop()
      }
    }),
  )
  return reports
}
