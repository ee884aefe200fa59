import { expect, test } from 'vitest'
import { proveDelivery } from './test-delivery.ts'

test('the same for a long time, with many kills and seeds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const seed = (Date.now() + round) % 1_000_000
    process.stdout.write(`delivery seed ${seed}\n`)
    const { events } = await proveDelivery({
      ...{ seed, writers: 50, factsPerWriter: 200, kills: 100, seconds: 120 },
    })
    expect(events).toBeGreaterThan(1_000)
  }
}, 1_800_000)
