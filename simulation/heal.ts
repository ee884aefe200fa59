import { deposit } from './acts.ts'
import { BASE_FEE } from './chain/model-network.ts'
import { Broken } from './finding.ts'
import { TOKEN } from './networks.ts'
import { takeAll } from './take.ts'
import type { World } from './world.ts'

const ROUNDS_MAX = 150
/** Afterwards rounds take longer: what is left waits for a look every half a minute. */
const HASTY_ROUNDS = 60
const TOP_UP = 10_000_000n

/** Trouble ends, everybody who got no answer asks again, and everything must come to its end within so many blocks. */
export async function heal(world: World): Promise<void> {
  await restore(world)
  const { network, witness, time } = world
  let open = ''
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await takeAll(world)
    open = await witness.underWay(world.lives.map(({ actor }) => actor))
    if (open === '') return
    await world.passTime(round < HASTY_ROUNDS ? 1_000 : 5_000)
    network.mine(time.now(), 0.9)
    network.finalize(2)
    witness.lookAtChain()
  }
  throw new Broken('everything comes to its end', open)
}

async function restore(world: World): Promise<void> {
  const { network, plan, payers, wallets, steps, dice } = world
  world.note('heal')
  network.weather = { unheard: 0, unanswered: 0, resurfaces: 0 }
  network.baseFee = BASE_FEE
  for (const node of network.nodes) {
    node.isDown = false
    node.isStuck = false
    network.forget(node)
  }
  network.insist()
  network.spread()
  if (network.hasLostDeposits() || network.strangers.length > 0) {
    // What went away may be what a payment that is under way needs.
    wallets.forEach((wallet, index) => {
      for (const asset of ['native', TOKEN]) deposit(network, wallet, asset, -1 - index, TOP_UP)
    })
  }
  while (world.lives.length < plan.instances) await world.start()
  for (const intent of payers.unanswered()) {
    const { instance, actor } = dice.pick(world.lives)
    if (intent.key !== undefined) payers.repeat(instance, actor, intent)
  }
  await steps.quiet()
}
