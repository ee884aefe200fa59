import { describe, expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { expiryFrom, planFrom, scopesFrom } from './key-order.ts'

describe('what florin keys create is told', () => {
  test('times count from now, and nothing given means never', () => {
    expect(expiryFrom(undefined, 5)).toBeNull()
    expect(expiryFrom('30d', 5)).toBe(5 + 30 * 86_400_000)
    expect(expiryFrom('12h', 0)).toBe(43_200_000)
    expect(expiryFrom('100y', 0)).toBe(100 * 365 * 86_400_000)
  })

  test.each(['', '0d', '-1d', '30', 'd', '1.5d', '101y', '1e3d', '30D', '30d ', '999999999y'])(
    'the time %j is refused',
    (text) => expect(() => expiryFrom(text, 0)).toThrow(UsageError),
  )

  test('scopes and plans come from their lists', () => {
    expect(scopesFrom(undefined)).toEqual(['read', 'write'])
    expect(scopesFrom('read, settle')).toEqual(['read', 'settle'])
    expect(planFrom(undefined)).toBe('standard')
    expect(planFrom('enterprise')).toBe('enterprise')
    for (const text of ['', 'read,', 'root', 'READ'])
      expect(() => scopesFrom(text)).toThrow(UsageError)
    for (const text of ['', 'gold']) expect(() => planFrom(text)).toThrow(UsageError)
  })
})
