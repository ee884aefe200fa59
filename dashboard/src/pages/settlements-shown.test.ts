import { expect, test } from 'vitest'
import type { AccountEvent } from './recent-events.ts'
import { settlementsShown } from './settlements-shown.ts'

const told = (id: string, paymentId: unknown, status: unknown, type = 'settlement') =>
  ({
    ...{ id, type, channel: 'payments', sequence: 1, timestamp: 0 },
    data: { paymentId, status, success: status === 'confirmed' || status === 'settled' },
  }) as AccountEvent

test('a payment is shown once, as it stands now: one that a reorganisation took back is pending, and refused is none', () => {
  const events = [
    told('evt_6', 'pay_1', 'pending'),
    told('evt_5', 'pay_2', 'settled'),
    told('evt_4', 'pay_2', 'confirmed'),
    told('evt_3', 'pay_3', 'settled', 'payment'),
    told('evt_2', 'pay_1', 'confirmed'),
    told('evt_1', undefined, 'settled'),
    told('evt_0', 'pay_4', 'unheard of'),
  ]
  const shown = settlementsShown(events, 20).map(({ paymentId, status }) => [paymentId, status])
  expect(shown).toEqual([
    ['pay_1', 'pending'],
    ['pay_2', 'settled'],
  ])
  expect(settlementsShown(events, 1)).toHaveLength(1)
})
