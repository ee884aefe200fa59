import { describe, expect, test } from 'vitest'
import { csvText } from './csv.ts'
import { startOfDay } from './day-text.ts'
import { explorerLink } from './explorer.ts'

describe('a file of comma-separated values', () => {
  test('keeps amounts as they are and quotes what would break it', () => {
    expect(
      csvText([
        ['a', '0.000000000000000001', '-5'],
        ['x,y', 'say "so"', null],
      ]),
    ).toBe('a,0.000000000000000001,-5\r\n"x,y","say ""so""",\r\n')
  })

  test('runs nothing in a spreadsheet', () => {
    expect(csvText([['=1+1', '+x', '-cmd', '@sum']])).toBe(`'=1+1,'+x,'-cmd,'@sum\r\n`)
  })
})

describe('a day', () => {
  test('begins at its own midnight', () => {
    expect(startOfDay('2026-11-21')).toBe(new Date(2026, 10, 21).getTime())
    expect(startOfDay('2026-11-30', 1)).toBe(new Date(2026, 11, 1).getTime())
    expect(startOfDay('soon')).toBeUndefined()
  })
})

describe('an explorer', () => {
  const paid = { network: 'eip155:8453', signature: '0xab', sandbox: false }
  test('is linked where there is one and the chain is public', () => {
    expect(explorerLink(paid)).toBe('https://basescan.org/tx/0xab')
    expect(explorerLink({ ...paid, sandbox: true })).toBeUndefined()
    expect(explorerLink({ ...paid, signature: null })).toBeUndefined()
    expect(explorerLink({ ...paid, network: 'eip155:99999' })).toBeUndefined()
  })
})
