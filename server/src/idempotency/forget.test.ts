import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { startForgetting } from './forget.ts'

test('what one room cannot forget keeps no other from forgetting', async () => {
  const database = await openTestDatabase()
  const forgotten: number[] = []
  const stop = startForgetting({
    store: database.store,
    clock: systemClock,
    log: openLog('silent'),
    others: [
      () => Promise.reject(new Error('not now')),
      async (_tx, nowMilliseconds) => void forgotten.push(nowMilliseconds),
    ],
  })
  try {
    await until('the other has forgotten', () => forgotten.length > 0, { seconds: 30 })
    expect(forgotten).toHaveLength(1)
  } finally {
    await stop()
    await database.close()
  }
})
