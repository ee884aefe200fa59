import { randomInt } from 'node:crypto'

/** One of these. @throws when there is none */
export function oneOf<T>(list: readonly T[]): T {
  const one = list[randomInt(Math.max(list.length, 1))]
  if (one === undefined) throw new Error('there is nothing to choose from')
  return one
}

/** So many thousandths of an amount, drawn between two bounds. */
export function shareOf(amount: bigint, fromThousandths: number, toThousandths: number): bigint {
  return (amount * BigInt(randomInt(fromThousandths, toThousandths + 1))) / 1_000n
}
