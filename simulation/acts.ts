import type { Address } from '@florin/server/chains/chain.ts'
import { BASE_FEE } from './chain/model-network.ts'
import { COURIER, line, nonceKey, SOURCE } from './chain/block-tree.ts'
import { markOf } from './chain/exact-port.ts'
import { readTransfer, signTransfer } from './chain/signed-transfer.ts'
import { RECIPIENTS, TOKEN } from './networks.ts'
import type { WorldAct } from './plan.ts'
import type { World } from './world.ts'

const REORG_DEPTH_MAX = 8
const DEPOSIT = 1_000_000n
/** Each place that a stranger has taken is looked at twice, half a minute apart: a world with many would take very long to heal. */
const STRANGERS_MAX = 2

const RUSH = 6

/** Whether an act would do anything now. */
export function canHappen(
  act: WorldAct,
  { lives, payers, sellers, plan, network }: World,
): boolean {
  switch (act) {
    case 'pay':
      return lives.length > 0 && payers.intents.length < plan.intents
    case 'sell':
    case 'rush':
      return lives.length > 0 && sellers.sales.length < plan.sales
    case 'sell again':
      return lives.length > 0 && sellers.sales.length > 0
    case 'front run':
      return sellers.sales.length > 0
    case 'repeat':
      return lives.length > 0 && payers.intents.length > 0
    case 'crash':
      return lives.length > 0
    case 'stranger':
      return network.strangers.length < STRANGERS_MAX
    case 'start':
      return lives.length < plan.instances
    default:
      return true
  }
}

/** What can happen in a world besides the steps of the service. */
export const acts: Readonly<Record<WorldAct, (world: World) => void | Promise<void>>> = {
  sell: ({ dice, sellers, lives }) => {
    const { instance, actor } = dice.pick(lives)
    sellers.sell(instance, actor)
  },
  // Those of one moment wait for the same key.
  rush: ({ dice, sellers, lives, plan }) => {
    const { instance, actor } = dice.pick(lives)
    const count = Math.min(RUSH, plan.sales - sellers.sales.length)
    for (let sold = 0; sold < count; sold += 1) sellers.sell(instance, actor)
  },
  'sell again': ({ dice, sellers, lives }) => {
    const { instance, actor } = dice.pick(lives)
    sellers.repeat(instance, actor, dice.pick(sellers.sales))
  },
  // Somebody else has the same authorization and carries it to the chain.
  'front run': ({ dice, network, sellers }) => {
    const { payer, payTo, amount, nonce, validBefore } = dice.pick(sellers.sales)
    const transfer = {
      from: COURIER,
      to: payTo,
      asset: TOKEN,
      amount,
      mark: markOf({ nonce }),
      fee: 0n,
      nonce: 0n,
      lifetime: 0n,
      authorization: { payer, nonce, validBeforeSeconds: validBefore },
    }
    network.inject(readTransfer(signTransfer(transfer).raw))
  },
  pay: ({ dice, payers, lives }) => {
    const { instance, actor } = dice.pick(lives)
    payers.pay(instance, actor)
  },
  repeat: ({ dice, payers, lives }) => {
    const { instance, actor } = dice.pick(lives)
    payers.repeat(instance, actor, dice.pick(payers.intents))
  },
  'hang up': ({ payers, sellers }) => {
    payers.hangUp()
    sellers.hangUp()
  },
  'pass time': async (world) => {
    const { dice, network, plan } = world
    const milliseconds = dice.weighed([
      [6, dice.between(1, 1_000)],
      [6, dice.between(1_000, 3_000)],
      [2, dice.between(3_000, 12_000)],
    ])
    await world.passTime(milliseconds)
    const blockTime = plan.chain === 'fee' ? 2_000 : 1_000
    const blocks = Math.floor((milliseconds / blockTime) * 2 * dice.roll())
    for (let mined = 0; mined < blocks; mined += 1) network.mine(world.time.now(), dice.roll())
  },
  mine: ({ dice, network, time }) => network.mine(time.now(), dice.roll()),
  reorg: ({ dice, network, time, plan }) => {
    // Now and then a node stays behind on the old branch.
    if (plan.weights['trouble a node'] > 0 && dice.chance(0.4))
      dice.pick(network.nodes).isStuck = true
    // Most take back something that matters.
    const filled = depthsOfOurs(network)
    const depth = dice.between(1, REORG_DEPTH_MAX)
    network.reorg(filled.length > 0 && dice.chance(0.8) ? dice.pick(filled) : depth, time.now())
  },
  finalize: ({ dice, network }) => network.finalize(dice.between(2, 16)),
  forget: ({ dice, network }) => network.forget(dice.pick(network.nodes)),
  'trouble a node': ({ dice, network }) => {
    const node = dice.pick(network.nodes)
    if (dice.chance(0.5)) node.isDown = !node.isDown
    else node.isStuck = !node.isStuck
    network.spread()
  },
  fees: ({ dice, network }) => {
    network.baseFee = dice.chance(0.5) ? BASE_FEE : BASE_FEE * BigInt(dice.between(2, 6))
  },
  deposit: ({ dice, network, wallets, steps }) => {
    deposit(network, dice.pick(wallets), dice.pick(['native', TOKEN]), steps.count())
  },
  stranger: ({ dice, network, wallets }) => {
    const from = dice.pick(wallets)
    const nonce = network.best().state.get(nonceKey(from)) ?? 0n
    const to = dice.pick([...RECIPIENTS.keys()])
    const fee = network.baseFee * 10n
    const transfer = { from, to, asset: 'native', amount: 1n, mark: '', fee, nonce, lifetime: 0n }
    network.inject(readTransfer(signTransfer(transfer).raw))
  },
  crash: (world) => world.crash(world.dice.pick(world.lives)),
  start: (world) => world.start(),
}

/** How deep a reorg must go to take back each of the blocks that hold payments and are not final. */
function depthsOfOurs(network: World['network']): readonly number[] {
  const depths: number[] = []
  let depth = 0
  for (const block of line(network.best())) {
    if (block === network.final()) break
    depth += 1
    if (block.included.some(({ transfer }) => transfer.mark !== '')) depths.push(depth)
  }
  return depths
}

/** Money from outside; `number` tells one deposit from another. */
export function deposit(
  network: World['network'],
  to: Address,
  asset: string,
  number: number,
  amount = DEPOSIT,
): void {
  const nonce = BigInt(number)
  const transfer = { from: SOURCE, to, asset, amount, mark: '', fee: 0n, nonce, lifetime: 0n }
  network.inject(readTransfer(signTransfer(transfer).raw))
}
