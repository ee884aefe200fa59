import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { startPostgres } from '@florin/server/store/embedded/start-postgres.ts'
import { migrate } from '@florin/server/store/migrate.ts'
import { startSandbox } from '../e2e/actors/sandbox.ts'
import { startService } from '../e2e/actors/service.ts'
import type { ServiceHandle } from '../e2e/actors/service.ts'
import type { Bench } from './bench.ts'
import { buildsFrom } from './builds.ts'
import { median, quantilesOf } from './figures.ts'
import { OUTSIDERS, sendsFrom } from './installation.ts'
import type { PlannedRequest } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'

const CALLERS = 64
const WARM_UP_SECONDS = 1

interface Variant {
  readonly name: string
  readonly service: ServiceHandle
  readonly rates: number[]
  readonly milliseconds: number[]
}

/** What asks the service: which wallets, and for what. */
interface Asking {
  readonly name: string
  readonly about: string
  readonly what: string
  requestsOf(wallets: readonly string[]): readonly PlannedRequest[]
}

/** The same for builds of one account: transfers from the same wallets, never signed. */
export const batchingBuilds: Bench = batchingOf({
  name: 'batching-builds',
  about: 'builds of one account that share database transactions, against one transaction each',
  what: 'evm builds',
  requestsOf: (wallets) => buildsFrom(wallets, OUTSIDERS.evm),
})

/**
 * Sends of one wallet that share transactions (64 at most) against one transaction each. Both services run at once on
 * databases of their own and one chain; rounds alternate, so drift of the machine meets both.
 */
export const batching: Bench = batchingOf({
  name: 'batching',
  about: 'sends of one wallet that share database transactions, against one transaction each',
  what: 'evm sends, 1 wallet',
  requestsOf: (wallets) => sendsFrom(wallets.slice(0, 1), OUTSIDERS.evm),
})

function batchingOf({ name: bench, about, what, requestsOf }: Asking): Bench {
  return {
    name: bench,
    about,
    run: async ({ options: { seconds, rounds }, note, defer }) => {
      const directory = await mkdtemp(join(tmpdir(), 'florin-bench-'))
      defer(() => rm(directory, { recursive: true, force: true }))
      const sandbox = await startSandbox()
      defer(sandbox.stop)
      const variants: Variant[] = []
      for (const [name, sendBatchMax] of [
        ['one transaction each', 1],
        ['shared transactions', 64],
      ] as const) {
        const postgres = await startPostgres({
          directory: join(directory, `database-${sendBatchMax}`),
          log: openLog('silent'),
          clock: systemClock,
          random: systemRandom,
        })
        defer(postgres.stop)
        await migrate({ url: postgres.ownerUrl, log: openLog('silent') })
        const databaseUrl = postgres.ownerUrl.reveal()
        const service = await startService({
          sandbox,
          databaseUrl,
          sendBatchMax,
          checkAnswers: false,
        })
        defer(service.stop)
        for (const { address } of service.wallets) await sandbox.fund(address, 'native', '1000')
        variants.push({ name, service, rates: [], milliseconds: [] })
      }
      for (let round = 1; round <= rounds; round += 1) {
        for (const { name, service, rates, milliseconds } of variants) {
          const { baseUrl, apiKeys, wallets } = service
          const report = await runLoad({
            baseUrl,
            apiKey: apiKeys.enterprise,
            callers: CALLERS,
            requests: requestsOf(
              wallets.filter(({ family }) => family === 'evm').map(({ address }) => address),
            ),
            warmUpSeconds: WARM_UP_SECONDS,
            seconds,
          })
          if (report.firstRefusal !== null) throw new Error(`refused: ${report.firstRefusal}`)
          rates.push(report.milliseconds.length / report.seconds)
          milliseconds.push(...report.milliseconds)
          note(`${name}, round ${round}: ${rates.at(-1)?.toFixed(0)}/s`)
        }
      }
      const alone = median(variants[0]?.rates ?? [])
      return variants.map(({ name, rates, milliseconds }) => ({
        bench,
        what: `${what}, ${name}`,
        perSecond: median(rates),
        milliseconds: quantilesOf(milliseconds),
        ratio: median(rates) / alone,
        more: { rates },
      }))
    },
  }
}
