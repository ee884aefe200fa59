import { expect, test } from 'vitest'
import { openFinalPace } from './final-pace.ts'

function paced(blockTimeMilliseconds: number) {
  let now = 1_790_000_000_000
  const pace = openFinalPace({ nowMilliseconds: () => now }, { blockTimeMilliseconds })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { ...pace, pass }
}

test('what is final long after it was made is asked for every five seconds', () => {
  const pace = paced(200)
  expect(pace.isDue()).toBe(true)
  pace.told({ height: 10_000n, finalizedHeight: 4_000n })
  pace.pass(4_999)
  expect(pace.isDue()).toBe(false)
  pace.pass(1)
  expect(pace.isDue()).toBe(true)
})

test('what is final soon is asked for as soon as that matters', () => {
  const pace = paced(200)
  pace.told({ height: 10_000n, finalizedHeight: 10_000n })
  expect(pace.isDue()).toBe(true)
  pace.told({ height: 10_000n, finalizedHeight: 9_968n })
  pace.pass(99)
  expect(pace.isDue()).toBe(false)
  pace.pass(1)
  expect(pace.isDue()).toBe(true)
})

test('a clock that was set back makes nobody wait', () => {
  const pace = paced(200)
  pace.told({ height: 10_000n, finalizedHeight: 4_000n })
  pace.pass(-10_000)
  expect(pace.isDue()).toBe(true)
})
