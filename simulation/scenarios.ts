import { BASE_FEE } from './chain/model-network.ts'
import type { Step } from './steps.ts'
import type { World } from './world.ts'

/** What a chain does while one payment goes its way. */
export interface Scenario {
  readonly name: string
  readonly chain: 'fee' | 'lifetime'
  readonly roundMilliseconds: number
  readonly blocksPerRound: number
  readonly onStep?: (world: World, step: Step) => void
  readonly onRound?: (world: World, round: number) => void
}

const usual = { roundMilliseconds: 2_000, blocksPerRound: 1 }

/** A way of each chain without trouble, and the ways on which the service has to sign again or to take something back. */
export const scenarios: readonly Scenario[] = [
  { ...usual, name: 'a payment on a chain of places', chain: 'fee' },
  { ...usual, name: 'a payment on a chain of lifetimes', chain: 'lifetime' },
  {
    ...usual,
    name: 'a payment whose fee has to be raised',
    chain: 'fee',
    onStep: ({ network }, { label }) => {
      if (label === 'draft') network.baseFee = BASE_FEE * 3n
    },
  },
  {
    name: 'a payment whose first lifetime ends unheard',
    chain: 'lifetime',
    roundMilliseconds: 10_000,
    blocksPerRound: 8,
    onStep: ({ network }, { label }) => {
      if (label === 'draft') network.weather = { ...network.weather, unheard: 1 }
      if (label === 'renew') network.weather = { ...network.weather, unheard: 0 }
    },
  },
  {
    ...usual,
    name: 'a payment on a chain of places that is reorganised away',
    chain: 'fee',
    onRound: ({ network, time }, round) => {
      if (round === 2) network.reorg(2, time.now())
    },
  },
]
