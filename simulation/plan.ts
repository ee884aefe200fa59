import type { Dice } from './dice.ts'
import type { Weather } from './chain/model-network.ts'

/** What a world is like. Each has some kinds of trouble and not others: what hides behind much trouble shows behind little. */
export interface Plan {
  readonly chain: 'fee' | 'lifetime'
  /** Steps before everything heals. */
  readonly steps: number
  readonly instances: number
  readonly wallets: number
  readonly intents: number
  /** Base units that a wallet may spend of each asset in a day; undefined without a policy. */
  readonly limit: bigint | undefined
  /** Probabilities per step that could fail. */
  readonly statementFails: number
  readonly commitUnknown: number
  readonly nodeFails: number
  readonly weather: Weather
  /** Weights of what the world itself does between the steps of the service. */
  readonly weights: Readonly<Record<WorldAct, number>>
}

export type WorldAct =
  | 'pay'
  | 'repeat'
  | 'hang up'
  | 'pass time'
  | 'mine'
  | 'reorg'
  | 'finalize'
  | 'forget'
  | 'trouble a node'
  | 'fees'
  | 'deposit'
  | 'stranger'
  | 'crash'
  | 'start'

export function drawPlan(dice: Dice): Plan {
  /** Half of the worlds do not know this trouble at all. */
  const some = (most: number) => (dice.chance(0.5) ? dice.roll() * most : 0)
  const chain = dice.pick(['fee', 'lifetime'] as const)
  return {
    chain,
    steps: dice.between(200, 1_200),
    instances: dice.between(1, 2),
    wallets: dice.between(1, 2),
    intents: dice.between(2, 10),
    limit: dice.chance(0.3) ? 6_000_000n : undefined,
    statementFails: some(0.02),
    commitUnknown: some(0.05),
    nodeFails: some(0.3),
    weather: { unheard: some(0.5), unanswered: some(0.5), resurfaces: some(0.5) },
    weights: {
      pay: 6,
      repeat: 4,
      'hang up': some(1),
      'pass time': 10,
      mine: 4,
      reorg: some(3),
      finalize: 3,
      forget: some(3),
      'trouble a node': some(4),
      fees: some(3),
      deposit: 1,
      stranger: chain === 'fee' && dice.chance(0.15) ? 0.5 : 0,
      crash: some(2),
      start: 4,
    },
  }
}
