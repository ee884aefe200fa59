import { acts, canHappen } from './acts.ts'
import { openDice } from './dice.ts'
import { Broken } from './finding.ts'
import { heal } from './heal.ts'
import { drawPlan, drawSalePlan, NODE_QUESTIONS, SALE_QUESTIONS, SALE_SEEDS_FROM } from './plan.ts'
import type { WorldAct } from './plan.ts'
import type { Premises } from './premises.ts'
import type { Fate, Step } from './steps.ts'
import { take } from './take.ts'
import { openWorld } from './world.ts'
import type { World } from './world.ts'

/** What became of a world. */
export interface WorldReport {
  readonly seed: number
  readonly steps: number
  readonly payments: number
  readonly traceHash: string
  /** Undefined when every promise was kept. */
  readonly broken: { readonly invariant: string; readonly message: string } | undefined
  /** The last things that happened, or all of them when asked for. */
  readonly trace: readonly string[]
}

/** The service's own steps come before the world's acts this often, as long as there are any. */
const SERVICE_SHARE = 0.93
/** Where nothing else can happen, time passes this often, and else now and then. */
const IDLE_TIME_SHARE = 0.6
const QUESTIONS = [...NODE_QUESTIONS, ...SALE_QUESTIONS]
const BOOKS_EVERY_STEPS = 250
const TRACE_LINES = 60
/** Lives through one world: trouble for so many steps, then healing, then the last judgement. */
export async function runWorld(
  seed: number,
  premises: Premises,
  wholeTrace = false,
): Promise<WorldReport> {
  const dice = openDice(seed)
  const plan = seed < SALE_SEEDS_FROM ? drawPlan(dice, seed) : drawSalePlan(dice, seed)
  const world = await openWorld(plan, dice, premises)
  let broken: WorldReport['broken']
  try {
    await world.start()
    for (let count = 0; count < world.plan.steps; count += 1) {
      await trouble(world)
      if (count % BOOKS_EVERY_STEPS === BOOKS_EVERY_STEPS - 1) await world.witness.lookAtBooks()
    }
    await heal(world)
    await world.witness.lookAtEnd()
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    broken = { invariant: error.invariant, message: error.message }
  } finally {
    await end(world)
  }
  const { lines, hash } = world.trace()
  return {
    seed,
    steps: lines.length,
    payments: world.payers.intents.length + world.sellers.sales.length,
    traceHash: hash,
    broken,
    trace: wholeTrace ? lines : lines.slice(-TRACE_LINES),
  }
}

/** One thing happens: a step of the service, or an act of the world. */
async function trouble(world: World): Promise<void> {
  const { dice, plan, steps, time, witness } = world
  const ready = steps.ready(time.now())
  if (ready.length > 0 && dice.chance(SERVICE_SHARE)) {
    const step = dice.pick(ready)
    const life = world.lives.find(({ actor }) => actor === step.actor)
    const matters = step.kind === 'commit' || step.label === 'broadcast'
    const dies = matters && dice.chance(plan.diesAfter * step.weight)
    if (life !== undefined && dies) await world.crash(life, step)
    else await take(world, step, fateOf(world, step))
    witness.rethrow()
    return
  }
  const possible = Object.entries(plan.weights) as [WorldAct, number][]
  const weights = possible.filter(([act]) => canHappen(act, world))
  const isIdle = ready.length === 0 && dice.chance(IDLE_TIME_SHARE)
  const act = isIdle
    ? 'pass time'
    : dice.weighed(weights.map(([name, weight]) => [weight, name] as const))
  world.note(act)
  await acts[act](world)
  await steps.quiet()
  witness.lookAtChain()
  witness.rethrow()
}

function fateOf({ dice, plan }: World, { canFail, kind, label, weight }: Step): Fate {
  const question = QUESTIONS.find((candidate) => kind === 'node' && candidate === label)
  const statement = kind === 'commit' ? plan.commitUnknown * weight : plan.statementFails
  const chance = question === undefined ? statement : plan.nodeFails[question]
  return canFail && dice.chance(chance) ? dice.pick(['refused', 'lost']) : 'done'
}

async function end(world: World): Promise<void> {
  for (const life of [...world.lives]) await world.crash(life)
}
