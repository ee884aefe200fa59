import type { Random } from '@florin/server/kernel/random.ts'

/** All chance of a world. The same seed rolls the same numbers, everywhere and for ever. */
export interface Dice extends Random {
  /** From 0 up to, but not, 1. */
  roll(): number
  chance(probability: number): boolean
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  pick<T>(choices: readonly T[]): T
  /** One of the choices, each as likely as its weight says. */
  weighed<T>(choices: readonly (readonly [weight: number, choice: T])[]): T
  shuffled<T>(items: readonly T[]): T[]
}

/** mulberry32: 32 bits of state are plenty for a world of some thousand steps. */
export function openDice(seed: number): Dice {
  let state = seed | 0
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(roll() * (high - low + 1))
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[between(0, choices.length - 1)]
    if (choice === undefined) throw new Error('there is nothing to pick from')
    return choice
  }
  return {
    roll,
    between,
    pick,
    chance: (probability) => roll() < probability,
    weighed: (choices) => {
      let left = roll() * choices.reduce((sum, [weight]) => sum + weight, 0)
      const found = choices.find(([weight]) => (left -= weight) < 0)
      return (found ?? choices[choices.length - 1] ?? pick([]))[1]
    },
    shuffled: (items) => {
      const rest = [...items]
      return items.flatMap(() => rest.splice(between(0, rest.length - 1), 1))
    },
    bytes: (length) => Uint8Array.from({ length }, () => between(0, 255)),
  }
}
