import { expect, test } from 'vitest'
import { momentsOf } from './payment-moments.ts'

const attempt = { status: 'sent', createdAt: 1_000, sentAt: 1_009 }
const sent = {
  ...{ type: 'sent', createdAt: 1_000, confirmedAt: null, settledAt: null },
  attempts: [attempt],
}
type Payment = Parameters<typeof momentsOf>[0]
const told = (fields: object) =>
  momentsOf(paymentOf({ ...sent, ...fields })).map(({ key, at, isAhead = false }) => [
    ...[key, at, isAhead],
  ])
const paymentOf = (fields: object): Payment => JSON.parse(JSON.stringify(fields))

test('a payment that failed or expired says when, and has nothing ahead even where nobody noted it', () => {
  const before = [
    ['created', 1_000, false],
    ['sent', 1_009, false],
  ]
  for (const status of ['failed', 'expired']) {
    expect(told({ status, endedAt: 2_000 })).toEqual([...before, ['ended', 2_000, false]])
    expect(told({ status })).toEqual([...before, ['ended', null, false]])
  }
  expect(told({ status: 'pending' })).toEqual([
    ...before,
    ['confirmed', null, true],
    ['settled', null, true],
  ])
})

test('who waits for a payment of the service is told not to order it again', () => {
  const says = (fields: object) =>
    momentsOf(paymentOf({ ...sent, status: 'pending', ...fields })).some(
      ({ children }) => typeof children === 'string' && children.includes('second payment'),
    )
  expect([says({}), says({ type: 'received' }), says({ selfCustody: true })]).toEqual([
    ...[true, false, false],
  ])
  expect(says({ status: 'settled', confirmedAt: 1_100, settledAt: 2_000 })).toBe(false)
})
