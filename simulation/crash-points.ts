import type { Address } from '@florin/server/chains/chain.ts'
import { openDice } from './dice.ts'
import { demand } from './finding.ts'
import { heal } from './heal.ts'
import { calmPlan } from './plan.ts'
import type { Premises } from './premises.ts'
import type { Scenario } from './scenarios.ts'
import type { Step } from './steps.ts'
import { take, takeAll } from './take.ts'
import { openWorld } from './world.ts'
import type { World } from './world.ts'

/** What may happen at a step: the process dies, or the outside world fails it, each before or after its effect. */
export const BLOWS = ['dies before', 'dies after', 'fails before', 'fails after'] as const
export type Blow = (typeof BLOWS)[number]

const ROUNDS_MAX = 40
const RECIPIENT = 'recipient-0-takes' as Address

/**
 * Lives through one payment from the request to its end, with at most one blow, and gives back the steps of the service on the way. The
 * same scenario always takes the same steps up to the blow. Throws Broken when a promise does not hold.
 */
export async function payOnce(
  scenario: Scenario,
  premises: Premises,
  blow?: { readonly at: number; readonly kind: Blow },
): Promise<readonly Step[]> {
  const world = await openWorld(calmPlan(scenario.chain), openDice(1), premises)
  const { network, payers, witness, steps, time } = world
  const taken: Step[] = []
  const how = async (step: Step) => {
    taken.push(step)
    await (blow?.at === taken.length ? strike(world, step, blow.kind) : take(world, step, 'done'))
    scenario.onStep?.(world, step)
  }
  try {
    await world.start()
    for (let round = 0; round < 2; round += 1) {
      await takeAll(world)
      await world.passTime(1_000)
    }
    const [life] = world.lives
    if (life === undefined) throw new Error('nobody lives')
    const intent = payers.pay(life.instance, life.actor, { recipient: RECIPIENT, key: 'once' })
    await steps.quiet()
    for (let round = 0; round < ROUNDS_MAX && (round < 2 || (await isOpen(world))); round += 1) {
      await takeAll(world, how)
      if (world.lives.length === 0) await world.start()
      await world.passTime(scenario.roundMilliseconds)
      for (let mined = 0; mined < scenario.blocksPerRound; mined += 1) network.mine(time.now(), 0.9)
      network.finalize(2)
      scenario.onRound?.(world, round)
      witness.lookAtChain()
    }
    // Whatever the payer has heard so far, it asks once more.
    const [again] = world.lives
    if (again !== undefined) payers.repeat(again.instance, again.actor, intent)
    await heal(world)
    await witness.lookAtEnd()
    const { moved } = await witness.count()
    demand(moved === 1, 'the payment was made, once', String(moved))
  } finally {
    for (const life of [...world.lives]) await world.crash(life)
  }
  return taken
}

async function isOpen({ witness }: World): Promise<boolean> {
  return (await witness.openPayments()).length > 0
}

async function strike(world: World, step: Step, kind: Blow): Promise<void> {
  const life = world.lives.find(({ actor }) => actor === step.actor)
  switch (kind) {
    case 'dies before':
    case 'dies after':
      if (life !== undefined) await world.crash(life, kind === 'dies after' ? step : undefined)
      break
    case 'fails before':
    case 'fails after':
      await take(world, step, kind === 'fails before' ? 'refused' : 'lost')
      break
    default:
      kind satisfies never
  }
}

/** Whether a blow makes sense at a step: only some can fail. */
export function canStrike(step: Step, kind: Blow): boolean {
  return kind === 'dies before' || kind === 'dies after' || step.canFail
}
