import { expect, test } from 'vitest'
import { percentText } from './percent-text.ts'
import { shortText } from './short-text.ts'
import { laterText, spanText, stepTime, stretchText, timeAgo, timeLeft } from './time-text.ts'

test('only all of it is 100%, and only nothing is 0% where a tenth can be told', () => {
  expect([1, 0.9999, 0.999, 0.5, 0.001, 0].map(percentText)).toEqual([
    '100%',
    '99.9%',
    '99.9%',
    '50%',
    '0.1%',
    '0%',
  ])
})

test('a long name keeps both of its ends, a short one is whole', () => {
  expect(shortText('0x8d12A197cB00D4747a1fe03395095ce2A5CC6819')).toBe('0x8d12A1…CC6819')
  expect(shortText('eip155:84532')).toBe('eip155:84532')
})

const now = 1_800_000_000_000

test('what happened is told in the largest unit that fits, and is never ahead of a clock that lags', () => {
  const told = [90_000, 0, -9_000, -59_000, -60_000, -3_599_000, -7_200_000, -86_400_000 * 40]
  expect(told.map((offset) => timeAgo(now + offset, now))).toEqual([
    'just now',
    'just now',
    'just now',
    '59 seconds ago',
    '1 minute ago',
    '59 minutes ago',
    '2 hours ago',
    '1 month ago',
  ])
})

test('what is to come is counted to the second, in whole units that are left, and then is over', () => {
  const told = [86_400_000 * 29.9, 119_000, 12_400, 5_000, 1_000, 999, 0, -60_000]
  expect(told.map((offset) => timeLeft(now + offset, now))).toEqual([
    'in 29 days',
    'in 1 minute',
    'in 12 seconds',
    'in 5 seconds',
    'in 1 second',
    'in 1 second',
    'just now',
    '1 minute ago',
  ])
})

test('a span is told in the largest unit in which it is more than one', () => {
  const hour = 3_600_000
  expect([12.4, 999, 1_250, 119_000, 600_000, 5 * hour, 72 * hour].map(spanText)).toEqual([
    '12 ms',
    '999 ms',
    '1.3 s',
    '119.0 s',
    '10 min',
    '5 h',
    '3 days',
  ])
})

test('what happened next is told by how much later, and never as before', () => {
  expect(laterText(now + 81, now)).toBe('81 ms later')
  expect(laterText(now, now)).toBe('0 ms later')
  expect(laterText(now - 1, now)).toBe('')
  expect(stepTime(now + 81, now)).toMatch(/^\d\d:\d\d:\d\d \S+$/)
  expect(stepTime(now + 48 * 3_600_000, now)).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d \S+$/)
})

test('a stretch of a chart says of which zone it is', () => {
  const from = Date.parse('2026-11-21T12:40:00Z')
  expect(stretchText(from, from + 60_000)).toMatch(
    /^\d+ \w+, \d\d:\d\d to (\d+ \w+, )?\d\d:\d\d [A-Z]\S*$/,
  )
})
