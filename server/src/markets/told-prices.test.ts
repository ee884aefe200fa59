import { describe, expect, test } from 'vitest'
import { limits } from '../kernel/limits.ts'
import { openToldPrices } from './told-prices.ts'

const QUIET = limits.priceQuietMilliseconds
const at = (ratio: bigint, mint = 'a') => [{ mint, ratio }]

describe('what listeners are told of prices', () => {
  test('the first price, and each that moved by a thousandth, at once', () => {
    const told = openToldPrices()
    expect(told.due(at(1_000_000n), 0)).toEqual(at(1_000_000n))
    expect(told.due(at(1_001_000n), 1)).toEqual(at(1_001_000n))
    expect(told.due(at(1_000_000n), 2)).toEqual([])
    expect(told.due(at(999_999n), 3)).toEqual(at(999_999n))
  })

  test('a smaller move after five quiet seconds, as it stands then', () => {
    const told = openToldPrices()
    told.due(at(1_000_000n), 0)
    expect(told.due(at(1_000_500n), 1)).toEqual([])
    expect(told.due(at(1_000_400n), 2)).toEqual([])
    expect(told.overdue(QUIET - 1)).toEqual([])
    expect(told.overdue(QUIET)).toEqual(at(1_000_400n))
    expect(told.overdue(3 * QUIET)).toEqual([])
    expect(told.due(at(1_000_401n), 3 * QUIET)).toEqual(at(1_000_401n))
  })

  test('a smaller move at once where the clock was set back: nobody waits until it is where it was', () => {
    const told = openToldPrices()
    told.due([...at(1_000_000n), ...at(1_000_000n, 'b')], 1_000 * QUIET)
    expect(told.due(at(1_000_500n), 1_000 * QUIET + 1)).toEqual([])
    expect(told.overdue(0)).toEqual(at(1_000_500n))
    expect(told.due(at(1_000_500n, 'b'), 1)).toEqual(at(1_000_500n, 'b'))
  })

  test('one that came back to what was told, not at all', () => {
    const told = openToldPrices()
    told.due(at(1_000_000n), 0)
    told.due(at(1_000_500n), 1)
    expect(told.due(at(1_000_000n), 2)).toEqual([])
    expect(told.overdue(QUIET)).toEqual([])
  })

  test('many small moves add up to one that is told', () => {
    const told = openToldPrices()
    told.due(at(1_000_000n), 0)
    expect(told.due(at(1_000_600n), 1)).toEqual([])
    expect(told.due(at(1_001_200n), 2)).toEqual(at(1_001_200n))
  })

  test('of forgotten tokens the next price', () => {
    const told = openToldPrices()
    told.due(at(1_000_000n), 0)
    for (let more = 0; more < limits.toldPricesMax; more += 1) told.due(at(5n, `m${more}`), 0)
    expect(told.due(at(1_000_000n), 1)).toEqual(at(1_000_000n))
  })
})
