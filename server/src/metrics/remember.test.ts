import { describe, expect, test } from 'vitest'
import { remember } from './remember.ts'
import { handClock } from './test-clock.ts'

function open(read: () => Promise<number>) {
  const clock = handClock()
  return { clock, ask: remember({ clock, lifetimeMilliseconds: 5_000, seconds: 3, read }) }
}

describe('what is remembered', () => {
  test('is read once for all who ask within its lifetime, and anew after it', async () => {
    let reads = 0
    const { clock, ask } = open(async () => (reads += 1))
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1])
    await clock.pass(4_999)
    expect(await ask()).toBe(1)
    await clock.pass(1)
    expect(await ask()).toBe(2)
    expect(reads).toBe(2)
  })

  test('is read anew when the clock was set back, however long its lifetime seems to be then', async () => {
    let reads = 0
    const { clock, ask } = open(async () => (reads += 1))
    await ask()
    await clock.pass(-3_600_000)
    expect([await ask(), await ask()]).toEqual([2, 2])
  })

  test('is unknown when reading fails, and is not asked for again before its lifetime is over', async () => {
    let reads = 0
    const { clock, ask } = open(async () => {
      reads += 1
      if (reads === 1) throw new Error('away')
      return reads
    })
    expect([await ask(), await ask()]).toEqual([undefined, undefined])
    expect(reads).toBe(1)
    await clock.pass(5_000)
    expect(await ask()).toBe(2)
  })

  test('is unknown when reading takes too long, and a reading that hangs is never joined by a second one', async () => {
    let reads = 0
    const hanging = Promise.withResolvers<number>()
    const { clock, ask } = open(() => {
      reads += 1
      return hanging.promise
    })
    const answers: (number | undefined)[] = []
    for (let round = 0; round < 3; round += 1) {
      const answer = ask()
      await clock.pass(5_000)
      answers.push(await answer)
    }
    expect(answers).toEqual([undefined, undefined, undefined])
    expect(reads).toBe(1)
    hanging.resolve(7)
    expect(await ask()).toBe(7)
  })
})
