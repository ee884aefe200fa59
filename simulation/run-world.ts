import { acts, canHappen, deposit } from './acts.ts'
import { BASE_FEE } from './chain/model-network.ts'
import type { SimulationDatabase } from './database.ts'
import { openDice } from './dice.ts'
import { Broken } from './finding.ts'
import { TOKEN } from './networks.ts'
import { drawPlan, NODE_QUESTIONS } from './plan.ts'
import type { WorldAct } from './plan.ts'
import type { Fate, Step } from './steps.ts'
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
const SERVICE_SHARE = 0.82
const BOOKS_EVERY_STEPS = 250
const TRACE_LINES = 60
const HEALING_ROUNDS_MAX = 150
const STEPS_PER_ROUND_MAX = 3_000
/** A driver's pause is one second at most, and its lease runs out after five. */
const CALM_ROUNDS = 6

/** Lives through one world: trouble for so many steps, then healing, then the last judgement. */
export async function runWorld(
  seed: number,
  database: SimulationDatabase,
  wholeTrace = false,
): Promise<WorldReport> {
  const dice = openDice(seed)
  const world = await openWorld(drawPlan(dice), dice, database)
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
    payments: world.payers.intents.length,
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
    if (life !== undefined && matters && dice.chance(plan.diesAfter)) await world.crash(life, step)
    else await take(world, step, fateOf(world, step))
    witness.rethrow()
    return
  }
  const possible = Object.entries(plan.weights) as [WorldAct, number][]
  const weights = possible.filter(([act]) => canHappen(act, world))
  const act = dice.weighed(weights.map(([name, weight]) => [weight, name] as const))
  world.note(act)
  await acts[act](world)
  await steps.quiet()
  witness.lookAtChain()
  witness.rethrow()
}

async function take(world: World, step: Step, fate: Fate): Promise<void> {
  world.note(`${step.actor} ${step.kind} ${step.label} ${fate}`)
  await world.steps.perform(step, fate)
  world.witness.rethrow()
}

function fateOf({ dice, plan }: World, { canFail, kind, label }: Step): Fate {
  const question = NODE_QUESTIONS.find((candidate) => kind === 'node' && candidate === label)
  const statement = kind === 'commit' ? plan.commitUnknown : plan.statementFails
  const chance = question === undefined ? statement : plan.nodeFails[question]
  return canFail && dice.chance(chance) ? dice.pick(['refused', 'lost']) : 'done'
}

/** Trouble ends, everybody who got no answer asks again, and everything must come to its end within so many blocks. */
async function heal(world: World): Promise<void> {
  const { network, plan, payers, wallets, witness, steps, dice, time } = world
  world.note('heal')
  network.weather = { unheard: 0, unanswered: 0, resurfaces: 0 }
  network.baseFee = BASE_FEE
  for (const node of network.nodes) {
    node.isDown = false
    node.isStuck = false
    network.forget(node)
  }
  network.spread()
  wallets.forEach((wallet, index) => {
    for (const asset of ['native', TOKEN]) deposit(network, wallet, asset, -1 - index, 10_000_000n)
  })
  while (world.lives.length < plan.instances) await world.start()
  for (const intent of payers.unanswered()) {
    const { instance, actor } = dice.pick(world.lives)
    if (intent.key !== undefined) payers.repeat(instance, actor, intent)
  }
  await steps.quiet()
  for (let round = 0; round < HEALING_ROUNDS_MAX; round += 1) {
    await takeAll(world)
    if (round > CALM_ROUNDS && (await witness.openPayments()) === 0) break
    await world.passTime(1_000)
    network.mine(time.now(), 0.9)
    network.finalize(2)
    witness.lookAtChain()
  }
  const open = await witness.openPayments()
  if (open > 0) throw new Broken('everything comes to its end', `${open} payments`)
  // The last blocks are final now; whoever follows has still to read them.
  for (let round = 0; round < CALM_ROUNDS; round += 1) {
    await world.passTime(1_000)
    await takeAll(world)
  }
}

/** Every step that is ready, and those that follow from them, oldest first. */
async function takeAll(world: World): Promise<void> {
  for (let count = 0; count < STEPS_PER_ROUND_MAX; count += 1) {
    const [step] = world.steps.ready(world.time.now())
    if (step === undefined) return
    await take(world, step, 'done')
  }
  throw new Broken('work comes to rest', 'too many steps in one moment')
}

async function end(world: World): Promise<void> {
  for (const life of [...world.lives]) await world.crash(life)
}
