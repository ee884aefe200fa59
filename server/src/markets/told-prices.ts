import { hasLeft } from '../kernel/has-left.ts'
import { limits } from '../kernel/limits.ts'
import type { Ratio } from './price.ts'

/** A token's price now, as it would be told. */
export interface PriceNow {
  readonly mint: string
  readonly ratio: Ratio
}

/** What listeners were last told of each token's price, and what they should hear next. */
export interface ToldPrices {
  /** Takes what prices are now, and gives those to tell. */
  due(prices: readonly PriceNow[], nowMilliseconds: number): readonly PriceNow[]
  /** Those that moved too little to be told at once and have waited long enough. */
  overdue(nowMilliseconds: number): readonly PriceNow[]
}

interface Told {
  readonly ratio: Ratio
  readonly atMilliseconds: number
  readonly next: Ratio | undefined
}

const MILLION = 1_000_000n

/**
 * A price is told at once when it differs from the last told one by limits.priceMoveMillionths or more, and a smaller difference once
 * limits.priceQuietMilliseconds have passed. One that did not move is not told. Remembers limits.toldPricesMax tokens; of one that it
 * forgot, or has never seen, the next price is told.
 */
export function openToldPrices(): ToldPrices {
  const told = new Map<string, Told>()
  const moving = new Set<string>()

  function tell(mint: string, ratio: Ratio, nowMilliseconds: number): void {
    told.delete(mint)
    told.set(mint, { ratio, atMilliseconds: nowMilliseconds, next: undefined })
    moving.delete(mint)
    const [oldest] = told.keys()
    if (told.size > limits.toldPricesMax && oldest !== undefined) {
      told.delete(oldest)
      moving.delete(oldest)
    }
  }

  return {
    due: (prices, nowMilliseconds) =>
      prices.filter(({ mint, ratio }) => {
        const last = told.get(mint)
        const difference = last === undefined ? 0n : abs(ratio - last.ratio)
        const isFar =
          last === undefined ||
          difference * MILLION >= last.ratio * BigInt(limits.priceMoveMillionths)
        const isQuiet = last !== undefined && isTooSoon(last, nowMilliseconds)
        if (last !== undefined && difference === 0n) {
          moving.delete(mint)
          return false
        }
        if (isFar || !isQuiet) {
          tell(mint, ratio, nowMilliseconds)
          return true
        }
        told.set(mint, { ...last, next: ratio })
        moving.add(mint)
        return false
      }),
    overdue: (nowMilliseconds) =>
      [...moving].flatMap((mint) => {
        const last = told.get(mint)
        if (last?.next === undefined || isTooSoon(last, nowMilliseconds)) return []
        tell(mint, last.next, nowMilliseconds)
        return [{ mint, ratio: last.next }]
      }),
  }
}

function isTooSoon({ atMilliseconds }: Told, nowMilliseconds: number): boolean {
  const length = limits.priceQuietMilliseconds
  return hasLeft(atMilliseconds + length, nowMilliseconds, length)
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}
