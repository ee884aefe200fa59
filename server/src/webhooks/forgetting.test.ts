import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { until } from '../kernel/until.ts'
import { hearing } from '../store/test-hearing.ts'
import { openTestWebhooks } from './test-webhooks.ts'
import type { TestWebhooks } from './test-webhooks.ts'

let room: TestWebhooks
beforeAll(async () => {
  room = await openTestWebhooks()
})
afterAll(() => room.close())

test('old deliveries are looked for again when the clock was set back, not when it has come round to that time', async () => {
  let behind = 0
  let looks = 0
  const sender = room.start({
    clock: { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() - behind },
    store: hearing(room.database.store, (name) => {
      if (name === 'delivery_old') looks += 1
      return undefined
    }),
  })
  const looked = async (count: number) =>
    until(`it was looked for ${count} times`, () => looks === count, { seconds: 60 })
  await looked(1)
  behind = 3_600_000
  await looked(2)
  await sender.stop()
  expect(looks).toBe(2)
})
