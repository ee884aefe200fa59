import { until } from '@florin/server/kernel/until.ts'
import { runFlorin, startFlorin } from '../actors/florin.ts'
import { fractions } from '../actors/fractions.ts'
import { openJournal } from '../actors/journal.ts'
import { openKiller } from '../actors/killer.ts'
import type { Killer, Victim } from '../actors/killer.ts'
import { explain, freePort } from '../kill-loop.ts'
import { openBuilding } from './building.ts'
import { checkEvents } from './events-told.ts'
import { openPurchasing } from './purchasing.ts'
import { openSettling } from './settling.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'
import { openTrading } from './trading.ts'
import { openTruth } from './truth.ts'
import { openWants } from './want.ts'
import type { WantKind, Wants } from './want.ts'
import type { Worker } from './worker.ts'

/** What is under way at the last kill, and authorizations that nobody used, have come to their end by then. */
const END_SECONDS = 300

export interface MixedReport {
  readonly seed: number
  readonly kills: Readonly<Record<Victim, number>>
  /** By kind: wanted, of these told as done, and asked for more than once. */
  readonly wants: Readonly<
    Partial<Record<WantKind, readonly [all: number, done: number, repeated: number]>>
  >
  readonly events: number
  /** What must never have happened; empty when nothing was lost and nothing done twice. */
  readonly broken: string
}

/**
 * The blind kill loop for all that is not a plain payment: settlements, trades of two chains, payments that others sign, and purchases from a shop
 * that settles through the same service, all at once while its processes are killed at random moments. No settlements on Solana: a chain that is
 * killed there loses blocks that it called confirmed, as no real one ever did, and with them a payer's bytes, which nobody can sign again. In the end
 * every answer that was given has to be what the chains and the database say, the events have to be whole, and the doctor must find nothing.
 */
export async function runMixedKillLoop({
  seed,
  seconds,
  pauseMilliseconds,
}: {
  readonly seed: number
  readonly seconds: number
  readonly pauseMilliseconds: number
}): Promise<MixedReport> {
  const random = fractions(seed)
  const port = await freePort(random)
  const first = await startFlorin({ env: { FLORIN_PORT: port, FLORIN_LOG_LEVEL: 'info' } })
  const journal = openJournal()
  const wants = openWants()
  const killer = openKiller(first, random, journal)
  const enough = new AbortController()
  const workers: Worker[] = []
  let events = 0
  try {
    const stage = openStage(first.info, wants, enough.signal)
    workers.push(...(await openWorkers(stage, random)))
    const working = Promise.all(workers.map(({ work }) => work()))
    await killer.killFor({ seconds, pauseMilliseconds }).finally(() => enough.abort())
    await working
    events = await judge(killer, workers, wants, stage)
  } catch (error) {
    wants.break(null, error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    enough.abort()
    for (const { stop } of workers) await stop?.()
    await killer.florin().discard()
  }
  for (const what of journal.broken) wants.break(null, what)
  return {
    seed,
    kills: killer.kills(),
    wants: countsOf(wants),
    events,
    broken: explain(seed, wants.broken, killer),
  }
}

async function openWorkers(stage: Stage, random: () => number): Promise<readonly Worker[]> {
  const own = () => fractions(Math.floor(random() * 2 ** 32))
  return [
    ...(await Promise.all([0, 1, 2].map((index) => openSettling(stage, `settle-${index}`)))),
    openTrading(stage, 'trade-evm', 'evm', own()),
    openTrading(stage, 'trade-solana', 'solana', own()),
    await openBuilding(stage, 'build-0'),
    await openPurchasing(stage, 'buy-0'),
    await openPurchasing(stage, 'buy-1'),
  ]
}

/** Waits until nothing is open any more, and holds everything against the truth. */
async function judge(
  killer: Killer,
  workers: readonly Worker[],
  wants: Wants,
  { client }: Stage,
): Promise<number> {
  const truth = await openTruth(killer.florin())
  try {
    await until(
      'no payment is open',
      async () => {
        const open = await truth.rows<{ open: string }>(
          `select count(*) as open from payments where status in ('pending', 'confirmed')`,
          [],
        )
        return open[0]?.open === '0'
      },
      { seconds: END_SECONDS },
    ).catch(async (error: unknown) => {
      const left = await truth.rows(
        `select id, type, network, status, resource, created_at from payments where status in ('pending', 'confirmed') limit 5`,
        [],
      )
      wants.break(null, `${String(error)}: ${JSON.stringify(left)}`)
    })
    for (const { check } of workers) await check(truth)
    const doctor = await runFlorin(['doctor', '--json'], killer.florin().dataDirectory)
    if (doctor.code !== 0) wants.break(null, `florin doctor: ${doctor.stdout}${doctor.stderr}`)
    return await checkEvents(client, wants)
  } finally {
    await truth.close()
  }
}

function countsOf({ all }: Wants): MixedReport['wants'] {
  return Object.fromEntries(
    [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, own]) => [
      kind,
      [
        own.length,
        own.filter(({ end }) => end === 'done').length,
        own.filter(({ tries }) => tries > 1).length,
      ],
    ]),
  )
}
