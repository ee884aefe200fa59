import { ESCROW } from '@florin/server/chains/evm/batch/escrow.ts'
import type { BenchContext } from './bench.ts'
import type { Figure } from './figures.ts'
import { DEPOSIT, openChannels } from './x402/channels.ts'
import type { ChannelScene, OpenedChannel } from './x402/channels.ts'
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

const PAYERS = 64
const DEPOSITS = 256
/** Vouchers of one round, no two of a bench the same: more than are looked at in it. */
const VOUCHERS = 20_000
const CLAIM_CALLERS = 16
/** Each claims other channels than those beside it, and once all were claimed they are again, for more: one wave alone is no longer than a stall of the chain. */
const CLAIM_GROUPS = 16
const CLAIM_PASSES = 3
const CLAIM_ROWS = 50

/** Florin against the official TypeScript facilitator with the scheme `batch-settlement`. */
export const x402Batch = against('x402-batch', 'x402 batch-settlement', measure)

/** Deposits first: what they open is vouched for, and claimed then, by either side. */
async function measure(context: BenchContext, stage: Stage): Promise<Figure[]> {
  const scene = await openChannels(stage.sandbox, PAYERS)
  const channels: OpenedChannel[] = []
  return [
    ...(await deposits(context, stage, scene, channels)),
    ...(await vouchers(context, stage, scene, channels)),
    ...(await claims(context, stage, scene, channels)),
  ]
}

async function deposits(
  context: BenchContext,
  stage: Stage,
  scene: ChannelScene,
  channels: OpenedChannel[],
): Promise<Figure[]> {
  const settle = async (side: Side) => {
    const opened = Array.from({ length: DEPOSITS }, scene.deposit)
    const before = await stage.usdcOf(ESCROW)
    const settled = await once(stage, side, opened, CALLERS)
    const taken = Number(((await stage.usdcOf(ESCROW)) - before) / DEPOSIT)
    // What was not told as settled is not looked at: a part of it may be.
    if (settled.taken.report.refusedCount === 0) channels.push(...opened)
    return { ...settled, isWhole: settled.isWhole && taken === DEPOSITS }
  }
  return await settling(context, stage, 'settle deposits', settle)
}

async function claims(
  context: BenchContext,
  stage: Stage,
  scene: ChannelScene,
  channels: readonly OpenedChannel[],
): Promise<Figure[]> {
  const groups = Array.from({ length: CLAIM_GROUPS }, (_, group) =>
    channels.slice(group * CLAIM_ROWS, (group + 1) * CLAIM_ROWS),
  )
  if (groups.at(-1)?.length !== CLAIM_ROWS) throw new Error('too few channels were opened')
  let total = 0n
  const settle = async (side: Side) => {
    const bodies = Array.from({ length: CLAIM_PASSES }).flatMap(() => {
      total += 1n
      return groups.map((group) => ({ body: scene.claim(group, total) }))
    })
    const before = await scene.claimed()
    const settled = await once(stage, side, bodies, CLAIM_CALLERS)
    const counted = Number((await scene.claimed()) - before)
    return { ...settled, isWhole: settled.isWhole && counted >= bodies.length * CLAIM_ROWS }
  }
  const what = `claim ${CLAIM_ROWS} vouchers at once, ${CLAIM_CALLERS} callers`
  return await settling(context, stage, what, settle)
}

interface Settled {
  readonly taken: Taken
  /** Every one was told as settled, by a transaction each, and the chain shows the same. */
  readonly isWhole: boolean
  readonly facts: object
}

/** Each body once. */
async function once(
  stage: Stage,
  side: Side,
  asked: readonly { readonly body: string }[],
  callers: number,
): Promise<Settled> {
  const before = await stage.transactionsOf(side.settlers.evm)
  const taken = await load(stage, side, {
    path: '/x402/settle',
    bodies: asked.map(({ body }) => body),
    callers,
    expects: '"success":true',
    load: { kind: 'once', secondsMax: SETTLE_SECONDS_MAX },
  })
  const included = (await stage.transactionsOf(side.settlers.evm)) - before
  const { good, refused } = taken.report
  const isWhole = good === asked.length && included === asked.length
  return { taken, isWhole, facts: { count: asked.length, success: good, included, refused } }
}

/** Both sides in turn, then once the reference as its examples set it up: what that leaves behind may keep its key for minutes. */
async function settling(
  context: BenchContext,
  stage: Stage,
  what: string,
  settle: (side: Side) => Promise<Settled>,
): Promise<Figure[]> {
  const { reference, florin, shipped } = stage
  let missed = 0
  const [theirs, ours] = await alternate(context, what, [reference, florin], async (side) => {
    const { taken, isWhole, facts } = await settle(side)
    if (!isWhole) context.note(`${what}, ${side.name}: ${JSON.stringify(facts)}`)
    if (!isWhole && side === florin) missed += 1
    return taken
  })
  if (theirs === undefined || ours === undefined) throw new Error('no rounds')
  const alone = await settle(shipped)
  context.note(`${what}, ${shipped.name}: ${JSON.stringify(alone.facts)}`)
  const { perSecond, report } = alone.taken
  return [
    figureOf(`${what}, reference with a nonce manager`, theirs),
    {
      ...figureOf(what, ours),
      ratio: ratioOf(ours, theirs),
      goal: { text: 'every one settled, none reverted', isMet: missed === 0 },
    },
    {
      bench: 'x402',
      what: `${what}, reference as its examples set it up`,
      perSecond,
      limit: `${report.refusedCount} not settled: two who ask at once get the same nonce`,
    },
  ]
}

async function vouchers(
  context: BenchContext,
  stage: Stage,
  scene: ChannelScene,
  channels: readonly OpenedChannel[],
): Promise<Figure[]> {
  const { seconds } = context.options
  let made = 0
  const next = () => {
    const of = channels[made % channels.length]
    if (of === undefined) throw new Error('no channel was opened')
    const ceiling = 1n + BigInt(Math.floor(made / channels.length))
    made += 1
    return scene.voucher(of, ceiling)
  }
  const what = `verify vouchers, ${CALLERS} callers`
  const { reference, florin } = stage
  const [theirs, ours] = await alternate(context, what, [reference, florin], async (side) => {
    const taken = await load(stage, side, {
      path: '/x402/verify',
      bodies: Array.from({ length: VOUCHERS }, next),
      callers: CALLERS,
      expects: '"isValid":true',
      load: { kind: 'round', warmUpSeconds: WARM_UP_SECONDS, seconds },
    })
    mustBeTaken(taken)
    return taken
  })
  if (theirs === undefined || ours === undefined) throw new Error('no rounds')
  return [
    figureOf(`${what}, reference`, theirs),
    { ...figureOf(what, ours), ratio: ratioOf(ours, theirs) },
  ]
}
