import { quantilesOf } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Installation } from './installation.ts'
import { limitOf, mostAlone } from './limit.ts'
import type { LoadPlan } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'
import { coresBetween, usageNow } from './processes.ts'

const UNAVAILABLE = '503'

/** What one load on an installation came to. */
export interface Measured {
  readonly perSecond: number
  /** Every 200, those of the warm-up too. */
  readonly answeredInAll: number
  /** Answers 503. */
  readonly refused: number
  /** The measured part of a line of the table. */
  readonly line: Pick<
    Figure,
    'perSecond' | 'mostAlone' | 'milliseconds' | 'cores' | 'perOperation' | 'limit'
  >
}

/** Puts a load on an installation and measures everybody's part in it. What came too late for the
 * service (503, nothing was done) is counted; any other refusal fails the whole bench. */
export async function measure(
  installation: Installation,
  plan: Omit<LoadPlan, 'baseUrl' | 'apiKey'>,
): Promise<Measured> {
  const { baseUrl, apiKey, pid, database } = installation
  let callersPid = 0
  const read = async () => {
    const [usage, transactions, nodeCalls] = await Promise.all([
      usageNow(pid, callersPid),
      database.transactions(),
      installation.nodeCalls(),
    ])
    return { usage, transactions, nodeCalls }
  }
  let before: ReturnType<typeof read> | undefined
  const report = await runLoad({ baseUrl, apiKey, ...plan }, (started) => {
    callersPid = started
    before = read()
  })
  const [started, ended] = await Promise.all([before, read()])
  if (started === undefined) throw new Error('the load never began')
  if (Object.keys(report.refused).some((status) => status !== UNAVAILABLE)) {
    throw new Error(`refused ${JSON.stringify(report.refused)}: ${report.firstRefusal}`)
  }
  const count = report.milliseconds.length
  const cores = coresBetween(started.usage, ended.usage)
  const each = (used: number) => (used / count) * 1000
  const perSecond = count / report.seconds
  return {
    perSecond,
    answeredInAll: report.answeredInAll,
    refused: report.refused[UNAVAILABLE] ?? 0,
    line: {
      perSecond,
      mostAlone: mostAlone(perSecond, cores),
      milliseconds: quantilesOf(report.milliseconds),
      cores,
      perOperation: {
        serviceMilliseconds: each(ended.usage.service - started.usage.service),
        postgresMilliseconds: each(ended.usage.postgres - started.usage.postgres),
        transactions: (ended.transactions - started.transactions) / count,
        nodeCalls: (ended.nodeCalls - started.nodeCalls) / count,
      },
      limit: limitOf(cores),
    },
  }
}
