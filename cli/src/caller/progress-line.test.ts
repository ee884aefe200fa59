import { describe, expect, test } from 'vitest'
import { openProgressLine } from './progress-line.ts'
import type { Progress } from './progress-line.ts'

const CREATED_AT = 1_790_000_000_000
const record = (more: Partial<Progress>): Progress => ({
  ...{ status: 'pending', createdAt: CREATED_AT, confirmedAt: null, settledAt: null },
  ...more,
})
const CONFIRMED = record({ status: 'confirmed', confirmedAt: CREATED_AT + 1_300 })
const SETTLED: Progress = { ...CONFIRMED, status: 'settled', settledAt: CREATED_AT + 2_200 }

function shown(terminal: boolean, ...payments: readonly Progress[]): string {
  const notes: string[] = []
  // Years after it was made: what is counted from now cannot be mistaken for what the record says.
  const progress = openProgressLine(
    { note: (text) => void notes.push(text), terminal },
    CREATED_AT - 10 ** 11,
  )
  for (const payment of payments) progress.look(payment)
  progress.end()
  return notes.join('')
}

describe('the line of a payment that is waited for', () => {
  test('says after how long a status was reached, and not when somebody looked', () => {
    expect(shown(false, CONFIRMED, SETTLED, SETTLED)).toBe(
      'confirmed    1.3 s\nsettled      2.2 s\n',
    )
    const failed = record({ status: 'failed', endedAt: CREATED_AT + 3_100 })
    expect(shown(false, failed)).toBe('failed       3.1 s\n')
  })

  test('says that it was pending from the start, and never less for what came later', () => {
    expect(shown(false, record({}), CONFIRMED)).toBe('pending      0.0 s\nconfirmed    1.3 s\n')
    const lines = shown(true, record({}), CONFIRMED).split('\n')
    expect(lines.map((line) => line.split('\r\u001B[K').at(-1))).toEqual([
      'pending      0.0 s',
      'confirmed    1.3 s',
      '',
    ])
  })

  test('leaves the same times on a terminal', () => {
    const lines = shown(true, CONFIRMED, SETTLED).split('\n')
    expect(lines.map((line) => line.split('\r\u001B[K').at(-1))).toEqual([
      'confirmed    1.3 s',
      'settled      2.2 s',
      '',
    ])
  })

  test('names no time for an end that came before anybody looked and is not noted', () => {
    expect(shown(false, record({ status: 'failed' }))).toBe('failed\n')
    expect(shown(false, record({}), record({ status: 'failed' }))).toMatch(
      /^pending +[\d.]+ s\nfailed +[\d.]+ s\n$/,
    )
  })
})
