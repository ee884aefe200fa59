import type { Bench, BenchContext } from './bench.ts'
import { RECOVERED_MAX } from '@florin/server/chains/evm/recovered-signers.ts'
import { quantilesOf } from './figures.ts'
import type { Figure } from './figures.ts'
import { newEvmAddress, newEvmPayers, newSolanaScene, solanaPayments } from './x402/payments.ts'
import type { EvmPayer } from './x402/payments.ts'
import { AMOUNT } from './x402/payments.ts'
import {
  against,
  alternate,
  CALLERS,
  figureOf,
  load,
  mustBeTaken,
  ratioOf,
  SETTLE_SECONDS_MAX,
  WARM_UP_SECONDS,
} from './x402/side-by-side.ts'
import type { Taken } from './x402/side-by-side.ts'
import type { Side, Stage } from './x402/stage.ts'

const MANY_CALLERS = 256
const PAYERS = 64
/** More than is kept of signatures: whatever is asked in a round was not seen since it was forgotten. */
const PROOFS = RECOVERED_MAX + 4_000
const SOLANA_PROOFS = 3_000
/** No more than that: once the sandbox's chain holds some 5,000 settlements it stands still for half a second now and then, to be saved. */
const SETTLEMENTS = { 'as shipped': 320, reference: 320, florin: 640 } as const
const SAME_PROOF_CALLS = 50

const GOALS = {
  verifyRatio: 20,
  verifyP99Milliseconds: 100,
  chainRequestsPerVerification: 0.1,
  settleRatio: 10,
  solanaCpuRatio: 5,
} as const

/** Florin against the official TypeScript facilitator, in turn, on the same chains, each with one core and one key. */
export const x402: readonly Bench[] = [
  against('x402-verify', 'x402 verify (EIP-3009)', verifyEvm),
  against('x402-solana', 'x402 verify (Solana)', verifySolana),
  against('x402-settle', 'x402 settle', settleDistinct, settleOne),
]

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

function payerOf(payers: readonly EvmPayer[], index: number): EvmPayer {
  const payer = payers[index % payers.length]
  if (payer === undefined) throw new Error('nobody pays')
  return payer
}
