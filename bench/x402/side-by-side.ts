import type { Bench, BenchContext } from '../bench.ts'
import { median, quantilesOf } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { runCallers } from './callers.ts'
import type { CallersPlan, CallersReport } from './callers.ts'
import { openStage } from './stage.ts'
import type { Side, Stage } from './stage.ts'

/** Who ask at once, where a part says nothing else. */
export const CALLERS = 64
/** A nonce that was given out and never used keeps the reference's key, and whoever asks it, for three minutes. */
export const SETTLE_SECONDS_MAX = 20
export const WARM_UP_SECONDS = 2

/** One load on one facilitator. */
export interface Taken {
  readonly report: CallersReport
  readonly perSecond: number
  /** Of good answers. */
  readonly each: {
    readonly ownMilliseconds: number
    readonly databaseMilliseconds: number
    readonly chainRequests: number
    readonly chainCalls: number
  }
}

/** What a bench measures on a stage. */
export type Part = (context: BenchContext, stage: Stage) => Promise<Figure[]>

/** A bench of both facilitators on one stage, its parts one after the other. */
export function against(name: string, what: string, ...parts: readonly Part[]): Bench {
  return {
    name,
    about: `${what} against the official TypeScript facilitator, ${CALLERS} callers`,
    run: async (context) => {
      const stage = await openStage(context)
      const { isPinned } = stage
      context.note(`facilitators on one core, all others on the other: ${isPinned ? 'yes' : 'no'}`)
      const figures: Figure[] = []
      for (const part of parts) figures.push(...(await part(context, stage)))
      return figures.map((figure) => ({
        ...figure,
        bench: name,
        more: { ...figure.more, isPinned },
      }))
    },
  }
}

/**
 * In turn, so that drift of the machine meets both; of each the round with the median rate. One round more of each goes before and is not
 * counted: both are still being compiled in it. Behind it neither side's rate rises any more.
 */
export async function alternate(
  { options: { rounds }, note }: BenchContext,
  what: string,
  sides: readonly Side[],
  take: (side: Side) => Promise<Taken>,
): Promise<readonly (Taken & Rated)[]> {
  const taken = sides.map(() => [] as Taken[])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const one = await take(side)
      if (round > 0) taken[index]?.push(one)
      note(`${what}, ${side.name}, ${round === 0 ? 'warm-up' : `round ${round}`}: ${told(one)}`)
    }
  }
  return taken.map((all) => {
    const rates = all.map(({ perSecond }) => perSecond)
    const middle = all.find(({ perSecond }) => perSecond === median(rates))
    if (middle === undefined) throw new Error('no round was measured')
    return { ...middle, rates }
  })
}

/** The median of what each round says: its sides ran within seconds of each other, while the machine drifts by a half from round to round. */
export function ratioOf(ours: Rated, theirs: Rated): number {
  return median(ours.rates.map((rate, round) => rate / (theirs.rates[round] ?? Number.NaN)))
}

/** A side's rounds. */
export interface Rated {
  /** By round. */
  readonly rates: readonly number[]
}

function told({ perSecond, each, report }: Taken): string {
  const refused = report.refusedCount === 0 ? '' : `, ${report.refusedCount} refused`
  const { p50, p99 } = quantilesOf(report.milliseconds)
  return (
    `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(0)} p99 ${p99.toFixed(0)} ms, ` +
    `own ${each.ownMilliseconds.toFixed(2)} + database ${each.databaseMilliseconds.toFixed(2)} ms CPU, ` +
    `${each.chainRequests.toFixed(3)} requests with ${each.chainCalls.toFixed(2)} calls to the chain${refused}`
  )
}

/** Has callers put a load on one side, and says what it took. */
export async function load(
  stage: Stage,
  side: Side,
  plan: Omit<CallersPlan, 'baseUrl' | 'apiKey'>,
): Promise<Taken> {
  const { baseUrl, apiKey } = side
  const read = async () => ({ cpu: await side.cpu(), counts: await side.counts() })
  let before: ReturnType<typeof read> | undefined
  const report = await runCallers({ baseUrl, apiKey, ...plan }, stage.pinCallers, () => {
    before = read()
  })
  const [started, ended] = await Promise.all([before, read()])
  if (started === undefined) throw new Error('the load never began')
  const count = report.milliseconds.length
  const each = (to: number, from: number) => (to - from) / count
  return {
    report,
    perSecond: count / report.seconds,
    each: {
      ownMilliseconds: each(ended.cpu.own, started.cpu.own) * 1000,
      databaseMilliseconds: each(ended.cpu.database, started.cpu.database) * 1000,
      chainRequests: each(ended.counts.requests, started.counts.requests),
      chainCalls: each(ended.counts.calls, started.counts.calls),
    },
  }
}

/** Throws where anything was refused. */
export function mustBeTaken({ report }: Taken): void {
  if (report.refusedCount > 0) throw new Error(`refused: ${JSON.stringify(report.refused)}`)
}

/** A line of the table. */
export function figureOf(what: string, { perSecond, report, each, rates }: Taken & Rated) {
  const { ownMilliseconds, databaseMilliseconds, chainRequests, chainCalls } = each
  return {
    bench: 'x402',
    what,
    perSecond,
    milliseconds: quantilesOf(report.milliseconds),
    limit:
      `CPU ${ownMilliseconds.toFixed(2)} + database ${databaseMilliseconds.toFixed(2)} ms, ` +
      `${chainRequests.toFixed(3)} chain requests (${chainCalls.toFixed(2)} calls) each`,
    more: { rates, ...each, answered: report.good, refused: report.refusedCount },
  } satisfies Figure
}
