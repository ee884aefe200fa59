import type { Dice } from './dice.ts'
import type { Weather } from './chain/model-network.ts'

/** What a world is like. Each has some kinds of trouble and not others: what hides behind much trouble shows behind little. */
export interface Plan {
  readonly chain: 'fee' | 'lifetime'
  /** The network takes more fee for some transactions than is held for them, as roll-ups may. */
  readonly takesMore: boolean
  /** Steps before everything heals. */
  readonly steps: number
  readonly instances: number
  readonly wallets: number
  readonly intents: number
  /** Base units that a wallet may spend of each asset in a day; undefined without a policy. */
  readonly limit: bigint | undefined
  /** Authorizations that sellers hand in; 0 in worlds where nothing is settled for anybody. */
  readonly sales: number
  /** Probabilities per step that could fail. */
  readonly statementFails: number
  /** Per statement of the transaction: the more it did, the likelier the answer to its commit is lost. */
  readonly commitUnknown: number
  /** Per question to a node; one kind may fail nearly always and the others never. */
  readonly nodeFails: Readonly<Record<NodeQuestion, number>>
  /** Dying right after the effect of a commit or of a broadcast, before its answer; per weight of the step. */
  readonly diesAfter: number
  readonly weather: Weather
  /** How late one of the nodes finds in its history what was included. */
  readonly indexLagMilliseconds: number
  /** Weights of what the world itself does between the steps of the service. */
  readonly weights: Readonly<Record<WorldAct, number>>
}

export type WorldAct =
  | 'sell'
  | 'rush'
  | 'sell again'
  | 'front run'
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

export const NODE_QUESTIONS = [
  'head',
  'blocks',
  'arrivals',
  'outcomes',
  'draft',
  'renew',
  'lane position',
  'look back',
] as const
/** Asked in worlds with sales only. */
export const SALE_QUESTIONS = ['check', 'draft a settlement', 'final state', 'find a use'] as const
export type NodeQuestion = (typeof NODE_QUESTIONS)[number] | (typeof SALE_QUESTIONS)[number]
/** Worlds from this seed on have sales. */
export const SALE_SEEDS_FROM = 1_000_000

/** One world in so many has such a network: by its seed and not by dice, so that worlds which are known by their seeds stay as they are. */
const DEAR_SEEDS = 4

export function drawPlan(dice: Dice, seed: number): Plan {
  /** Half of the worlds do not know this trouble at all. */
  const some = (most: number) => (dice.chance(0.5) ? dice.roll() * most : 0)
  const chain = dice.pick(['fee', 'lifetime'] as const)
  return {
    chain,
    takesMore: chain === 'fee' && seed % DEAR_SEEDS === 0,
    steps: dice.between(300, 1_500),
    instances: dice.between(1, 2),
    wallets: dice.between(1, 2),
    intents: dice.between(2, 10),
    limit: dice.chance(0.3) ? 6_000_000n : undefined,
    sales: 0,
    statementFails: some(0.02),
    commitUnknown: some(0.03),
    nodeFails: drawFailures(dice),
    diesAfter: some(0.01),
    weather: { unheard: some(0.5), unanswered: some(0.5), resurfaces: some(0.5) },
    indexLagMilliseconds: some(15_000),
    weights: {
      sell: 0,
      rush: 0,
      'sell again': 0,
      'front run': 0,
      pay: 8,
      repeat: 2,
      'hang up': some(1),
      'pass time': 5,
      mine: 5,
      reorg: some(6),
      finalize: 1,
      forget: some(4),
      'trouble a node': some(5),
      fees: some(4),
      deposit: 1,
      stranger: chain === 'fee' && dice.chance(0.25) ? 1 : 0,
      crash: some(3),
      start: 8,
    },
  }
}

/** A world in which sellers hand in what buyers have signed, beside the payments of wallets. */
export function drawSalePlan(dice: Dice, seed: number): Plan {
  const plan = drawPlan(dice, seed)
  return {
    ...plan,
    takesMore: false,
    intents: dice.between(0, 3),
    sales: dice.between(2, 14),
    nodeFails: { ...plan.nodeFails, ...drawFailures(dice, SALE_QUESTIONS) },
    weights: {
      ...plan.weights,
      pay: 2,
      sell: 8,
      rush: dice.chance(0.6) ? 6 : 0,
      'sell again': 4,
      'front run': plan.chain === 'fee' && dice.chance(0.5) ? 1 + 3 * dice.roll() : 0,
      stranger: 0,
    },
  }
}

/** A world in which nothing happens but what is told. */
export function calmPlan(chain: Plan['chain']): Plan {
  return {
    chain,
    takesMore: false,
    steps: 0,
    instances: 1,
    wallets: 1,
    intents: 1,
    limit: undefined,
    sales: 0,
    statementFails: 0,
    commitUnknown: 0,
    nodeFails: Object.fromEntries(
      [...NODE_QUESTIONS, ...SALE_QUESTIONS].map((question) => [question, 0]),
    ) as Plan['nodeFails'],
    diesAfter: 0,
    weather: { unheard: 0, unanswered: 0, resurfaces: 0 },
    indexLagMilliseconds: 0,
    weights: {} as Plan['weights'],
  }
}

function drawFailures(
  dice: Dice,
  questions: readonly NodeQuestion[] = NODE_QUESTIONS,
): Plan['nodeFails'] {
  const rate = () =>
    dice.weighed([
      [6, 0],
      [2, 0.3 * dice.roll()],
      [2, 0.9 * dice.roll()],
    ])
  const rates = questions.map((question) => [question, rate()] as const)
  return Object.fromEntries(rates) as Record<NodeQuestion, number>
}
