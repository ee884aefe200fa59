import type { Bench, BenchContext } from './bench.ts'
import { RECOVERED_MAX } from '@florin/server/chains/evm/recovered-signers.ts'
import { median, quantilesOf } from './figures.ts'
import type { Figure } from './figures.ts'
import { runCallers } from './x402/callers.ts'
import type { CallersPlan, CallersReport } from './x402/callers.ts'
import { newEvmAddress, newEvmPayers, newSolanaScene, solanaPayments } from './x402/payments.ts'
import type { EvmPayer } from './x402/payments.ts'
import { AMOUNT } from './x402/payments.ts'
import { openStage } from './x402/stage.ts'
import type { Side, Stage } from './x402/stage.ts'

const CALLERS = 64
const MANY_CALLERS = 256
const PAYERS = 64
/** More than is kept of signatures: whatever is asked in a round was not seen since it was forgotten. */
const PROOFS = RECOVERED_MAX + 4_000
const SOLANA_PROOFS = 3_000
/** No more than that: once the sandbox's chain holds some 5,000 settlements it stands still for half a second now and then, to be saved. */
const SETTLEMENTS = { 'as shipped': 320, reference: 320, florin: 640 } as const
const SAME_PROOF_CALLS = 50
/** A nonce that was given out and never used keeps the reference's key, and whoever asks it, for three minutes. */
const SETTLE_SECONDS_MAX = 20
const WARM_UP_SECONDS = 2

const GOALS = {
  verifyRatio: 20,
  verifyP99Milliseconds: 100,
  chainRequestsPerVerification: 0.1,
  settleRatio: 10,
  solanaCpuRatio: 5,
} as const

/** One load on one facilitator. */
interface Taken {
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

type Part = (context: BenchContext, stage: Stage) => Promise<Figure[]>

/** Florin against the official TypeScript facilitator, in turn, on the same chains, each with one core and one key. */
export const x402: readonly Bench[] = [
  against('x402-verify', 'x402 verify (EIP-3009)', verifyEvm),
  against('x402-solana', 'x402 verify (Solana)', verifySolana),
  against('x402-settle', 'x402 settle', settleDistinct, settleOne),
]

function against(name: string, what: string, ...parts: readonly Part[]): Bench {
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
async function alternate(
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
function ratioOf(ours: Rated, theirs: Rated): number {
  return median(ours.rates.map((rate, round) => rate / (theirs.rates[round] ?? Number.NaN)))
}

interface Rated {
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

async function load(
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

function mustBeTaken({ report }: Taken): void {
  if (report.refusedCount > 0) throw new Error(`refused: ${JSON.stringify(report.refused)}`)
}

async function verifyEvm(context: BenchContext, stage: Stage): Promise<Figure[]> {
  const { seconds } = context.options
  const payers = await newEvmPayers(stage.sandbox, PAYERS)
  const payTo = newEvmAddress()
  const bodies = Array.from({ length: PROOFS }, (_, index) => payerOf(payers, index).pay(payTo))
  const verify = async (side: Side, callers: number): Promise<Taken> => {
    const taken = await load(stage, side, {
      path: '/x402/verify',
      bodies,
      callers,
      expects: '"isValid":true',
      load: { kind: 'round', warmUpSeconds: WARM_UP_SECONDS, seconds },
    })
    mustBeTaken(taken)
    return taken
  }
  const { reference, florin } = stage
  const what = 'verify EIP-3009'
  const [theirs, ours] = await alternate(context, what, [reference, florin], (side) =>
    verify(side, CALLERS),
  )
  const [many] = await alternate(context, `${what}, ${MANY_CALLERS} callers`, [florin], (side) =>
    verify(side, MANY_CALLERS),
  )
  if (theirs === undefined || ours === undefined || many === undefined) throw new Error('no rounds')
  const ratio = ratioOf(ours, theirs)
  const isQuick = quantilesOf(ours.report.milliseconds).p99 < GOALS.verifyP99Milliseconds
  return [
    figureOf(`${what}, ${CALLERS} callers, reference`, theirs),
    {
      ...figureOf(`${what}, ${CALLERS} callers`, ours),
      ratio,
      goal: {
        text: `>= ${GOALS.verifyRatio} x, p99 < ${GOALS.verifyP99Milliseconds} ms`,
        isMet: ratio >= GOALS.verifyRatio && isQuick,
      },
    },
    {
      ...figureOf(`${what}, ${MANY_CALLERS} callers`, many),
      goal: {
        text: `<= ${GOALS.chainRequestsPerVerification} chain requests each`,
        isMet: many.each.chainRequests <= GOALS.chainRequestsPerVerification,
      },
    },
  ]
}

async function verifySolana(context: BenchContext, stage: Stage): Promise<Figure[]> {
  const { seconds } = context.options
  const scene = await newSolanaScene(stage.sandbox)
  const { reference, florin } = stage
  const what = 'verify Solana'
  const [theirs, ours] = await alternate(context, what, [reference, florin], async (side) => {
    const { solana } = side.settlers
    const bodies = await solanaPayments(stage.sandbox, scene, solana, SOLANA_PROOFS)
    const taken = await load(stage, side, {
      path: '/x402/verify',
      bodies,
      callers: CALLERS,
      expects: '"isValid":true',
      load: { kind: 'round', warmUpSeconds: WARM_UP_SECONDS, seconds },
    })
    mustBeTaken(taken)
    return taken
  })
  if (theirs === undefined || ours === undefined) throw new Error('no rounds')
  const cpuOf = ({ each }: Taken) => each.ownMilliseconds + each.databaseMilliseconds
  const ratio = cpuOf(theirs) / cpuOf(ours)
  return [
    figureOf(`${what}, ${CALLERS} callers, reference`, theirs),
    {
      ...figureOf(`${what}, ${CALLERS} callers`, ours),
      ratio,
      goal: {
        text: `${GOALS.solanaCpuRatio} x less CPU each`,
        isMet: ratio >= GOALS.solanaCpuRatio,
      },
    },
  ]
}

const SETTLE = 'settle distinct payments, one key'

async function settleDistinct(context: BenchContext, stage: Stage): Promise<Figure[]> {
  const { reference, florin } = stage
  const payers = await newEvmPayers(stage.sandbox, PAYERS)
  const missed: string[] = []
  const [theirs, ours] = await alternate(context, SETTLE, [reference, florin], async (side) => {
    const { taken, isWhole, facts } = await settleRound(stage, side, payers)
    if (!isWhole)
      context.note(`${side.name}: ${JSON.stringify({ ...facts, ...taken.report.refused })}`)
    if (!isWhole && side === florin) missed.push(JSON.stringify(facts))
    return taken
  })
  if (theirs === undefined || ours === undefined) throw new Error('no rounds')
  const ratio = ratioOf(ours, theirs)
  const named = `${SETTLE}, ${CALLERS} callers`
  // Once, since what it leaves behind may keep its key from settling anything for minutes.
  const shipped = await settleRound(stage, stage.shipped, payers)
  context.note(`${SETTLE}, ${stage.shipped.name}: ${JSON.stringify(shipped.facts)}`)
  const { perSecond, report } = shipped.taken
  return [
    figureOf(`${named}, reference with a nonce manager`, theirs),
    {
      ...figureOf(named, ours),
      ratio,
      goal: {
        text: `>= ${GOALS.settleRatio} x, every one settled, none reverted`,
        isMet: ratio >= GOALS.settleRatio && missed.length === 0,
      },
    },
    {
      bench: 'x402',
      what: `${named}, reference as its examples set it up`,
      perSecond,
      limit: `${report.refusedCount} of ${shipped.facts.count} not settled: two who ask at once get the same nonce`,
    },
  ]
}

/** Distinct payments to one new receiver, and what the chain says of them afterwards. */
async function settleRound(stage: Stage, side: Side, payers: readonly EvmPayer[]) {
  const payTo = newEvmAddress()
  const count = SETTLEMENTS[side.name]
  const bodies = Array.from({ length: count }, (_, index) => payerOf(payers, index).pay(payTo))
  const before = await stage.transactionsOf(side.settlers.evm)
  const taken = await load(stage, side, {
    path: '/x402/settle',
    bodies,
    callers: CALLERS,
    expects: '"success":true',
    load: { kind: 'once', secondsMax: SETTLE_SECONDS_MAX },
  })
  const included = (await stage.transactionsOf(side.settlers.evm)) - before
  const paid = (await stage.usdcOf(payTo)) / AMOUNT
  // Ours share transactions; none is included for nothing either way.
  const isSpared = side === stage.florin ? included <= count : included === count
  const isWhole = taken.report.good === count && paid === BigInt(count) && isSpared
  return { taken, isWhole, facts: { count, success: taken.report.good, paid: `${paid}`, included } }
}

/** The same proof many times at once: how many transactions that makes. */
async function settleOne(_context: BenchContext, stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = []
  const payers = await newEvmPayers(stage.sandbox, 1)
  for (const side of [stage.reference, stage.florin]) {
    const payTo = newEvmAddress()
    const body = payerOf(payers, 0).pay(payTo)
    const before = await stage.transactionsOf(side.settlers.evm)
    const taken = await load(stage, side, {
      path: '/x402/settle',
      bodies: Array.from({ length: SAME_PROOF_CALLS }, () => body),
      callers: SAME_PROOF_CALLS,
      expects: '"success":true',
      load: { kind: 'once', secondsMax: SETTLE_SECONDS_MAX },
    })
    const transactions = (await stage.transactionsOf(side.settlers.evm)) - before
    const successes = taken.report.good
    const isPaidOnce = (await stage.usdcOf(payTo)) === AMOUNT
    const isOurs = side.name === 'florin'
    const goal = {
      text: '1 transaction, 1 success',
      isMet: transactions === 1 && successes === 1 && isPaidOnce,
    }
    figures.push({
      bench: 'x402',
      what: `settle one proof ${SAME_PROOF_CALLS} times at once${isOurs ? '' : ', reference'}`,
      value: `${transactions} transactions, ${successes} successes`,
      ...(isOurs ? { goal } : {}),
      more: { isPaidOnce, refused: taken.report.refused },
    })
  }
  return figures
}

function figureOf(what: string, { perSecond, report, each, rates }: Taken & Rated) {
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

function payerOf(payers: readonly EvmPayer[], index: number): EvmPayer {
  const payer = payers[index % payers.length]
  if (payer === undefined) throw new Error('nobody pays')
  return payer
}
