import { expect, test } from 'vitest'
import { proveDelivery } from './test-delivery.ts'

test('every reader sees 1..n in order and the last state of everything, whatever is killed', async () => {
  const seed = Date.now() % 1_000_000
  process.stdout.write(`delivery seed ${seed}\n`)
  const { events } = await proveDelivery({
    ...{ seed, writers: 50, factsPerWriter: 8, kills: 6, seconds: 30 },
  })
  expect(events).toBeGreaterThan(100)
}, 240_000)
