import { Broken } from './finding.ts'
import type { Fate, Step } from './steps.ts'
import type { World } from './world.ts'

const STEPS_MAX = 3_000

/** One step of the service happens. */
export async function take(world: World, step: Step, fate: Fate): Promise<void> {
  world.note(`${step.actor} ${step.kind} ${step.label} ${fate}`)
  await world.steps.perform(step, fate)
  world.witness.rethrow()
}

/** Every step that is ready, and those that follow from them, oldest first. */
export async function takeAll(
  world: World,
  how: (step: Step) => Promise<void> = (step) => take(world, step, 'done'),
): Promise<void> {
  for (let count = 0; count < STEPS_MAX; count += 1) {
    const [step] = world.steps.ready(world.time.now())
    if (step === undefined) return
    await how(step)
  }
  throw new Broken('work comes to rest', 'too many steps in one moment')
}
