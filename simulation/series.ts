import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { WorldReport } from './run-world.ts'

/** What a thread is told at its start. */
export interface SeriesData {
  readonly databaseUrl: string
  /** Name of the defect to plant, undefined for the service as it is. */
  readonly defect: string | undefined
}

/** One world to live through; `stop` ends the thread. */
export type SeriesOrder = { readonly seed: number; readonly wholeTrace: boolean } | 'stop'

export type SeriesAnswer = { readonly report: WorldReport } | { readonly failure: string }

/** A thread that lives through one world after the other, on a database of its own. */
export interface Series {
  /** Throws when the world itself went wrong, not when a promise was broken. */
  run(seed: number, wholeTrace?: boolean): Promise<WorldReport>
  stop(): Promise<void>
}

export async function openSeries({ defect }: { defect?: string } = {}): Promise<Series> {
  const database = await openTestDatabase()
  const workerData: SeriesData = { databaseUrl: database.url.reveal(), defect }
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData, execArgv: [] })
  const died = once(worker, 'error').then(([error]: unknown[]) => Promise.reject(error as Error))
  died.catch(() => undefined)
  const order = (message: SeriesOrder) => worker.postMessage(message, [])
  return {
    run: async (seed, wholeTrace = false) => {
      const answered = once(worker, 'message')
      order({ seed, wholeTrace })
      const [answer] = (await Promise.race([answered, died])) as [SeriesAnswer]
      if ('failure' in answer) throw new Error(`world ${seed}: ${answer.failure}`)
      return answer.report
    },
    stop: async () => {
      const ended = once(worker, 'exit')
      order('stop')
      await Promise.race([ended, died]).catch(() => undefined)
      await database.close()
    },
  }
}

/** Lives through many worlds, several at once, and tells of each as it ends. */
export async function runSeeds(
  seeds: readonly number[],
  { threads, onReport }: { threads: number; onReport: (report: WorldReport) => void },
): Promise<void> {
  const left = [...seeds]
  const work = async () => {
    const series = await openSeries()
    try {
      for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
        onReport(await series.run(seed))
      }
    } finally {
      await series.stop()
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
}
