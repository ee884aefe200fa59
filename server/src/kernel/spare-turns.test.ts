import { expect, test } from 'vitest'
import { openSpareTurns } from './spare-turns.ts'

const LOOKS = 100

/** A process that is idle for a part of each 50 ms. */
function processWith(time: { idlePart: number }) {
  const at = { active: 0, idle: 0, now: 0 }
  const inSpareTurns = openSpareTurns({ nowMilliseconds: () => at.now }, () => ({ ...at }))
  const pass = () => {
    at.now += 50
    at.idle += 50 * time.idlePart
    at.active += 50 * (1 - time.idlePart)
  }
  return { inSpareTurns, pass }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('one piece is done in each turn of the loop, and what somebody did before takes none', async () => {
  const { inSpareTurns } = processWith({ idlePart: 1 })
  const done: string[] = []
  const piece = (name: string, isLeft: boolean) => () => {
    if (isLeft) done.push(name)
    return isLeft
  }
  for (const [name, isLeft] of [
    ['a', true],
    ['b', false],
    ['c', true],
    ['d', true],
  ] as const) {
    expect(inSpareTurns(piece(name, isLeft))).toBe(true)
  }
  expect(done).toEqual([])
  const seen: string[] = []
  for (let turns = 0; turns < 4; turns += 1) {
    await turn()
    seen.push(done.join(''))
  }
  expect(seen).toEqual(['a', 'ac', 'acd', 'acd'])
})

test('everything is taken while there is time, nothing where there is none, and everything again later', () => {
  const time = { idlePart: 0.5 }
  const { inSpareTurns, pass } = processWith(time)
  const takenOf = (looks: number) => {
    let taken = 0
    for (let look = 0; look < looks; look += 1) {
      pass()
      if (inSpareTurns(() => true)) taken += 1
    }
    return taken / looks
  }
  expect(takenOf(LOOKS)).toBe(1)
  time.idlePart = 0
  const falling = takenOf(LOOKS)
  expect(falling).toBeGreaterThan(0)
  expect(falling).toBeLessThan(1)
  expect(takenOf(LOOKS)).toBe(0)
  time.idlePart = 0.5
  takenOf(LOOKS)
  expect(takenOf(LOOKS)).toBe(1)
})

test('between the looks the part that was found is taken, and a clock that was set back ends nothing', () => {
  const at = { active: 0, idle: 0, now: 0 }
  const inSpareTurns = openSpareTurns({ nowMilliseconds: () => at.now }, () => at)
  const taken = (count: number) =>
    Array.from({ length: count }, () => inSpareTurns(() => true)).filter(Boolean).length
  // Never idle for eight looks: a twentieth less after each.
  for (let look = 0; look < 8; look += 1) {
    at.now += 50
    at.active += 50
    taken(1)
  }
  const part = taken(400) / 400
  expect(part).toBeCloseTo(0.6, 1)
  at.now = -1_000_000
  at.active += 50
  taken(1)
  expect(taken(400) / 400).toBeLessThan(part)
})

test('at most a thousand pieces wait', async () => {
  const { inSpareTurns } = processWith({ idlePart: 1 })
  let done = 0
  const taken = Array.from({ length: 1_500 }, () => inSpareTurns(() => (done += 1) > 0))
  expect(taken.filter(Boolean)).toHaveLength(1_000)
  await turn()
  expect(done).toBe(1)
  expect(inSpareTurns(() => true)).toBe(true)
})

test('what was refused because too many waited is not made up for when there is no time', async () => {
  const time = { idlePart: 1 }
  const { inSpareTurns, pass } = processWith(time)
  // Of which nothing is done, so that all of them go in one turn.
  const offer = (count: number) =>
    Array.from({ length: count }, () => inSpareTurns(() => false)).filter(Boolean).length
  expect(offer(3_000)).toBe(1_000)
  await turn()
  time.idlePart = 0
  for (let look = 0; look < LOOKS; look += 1) {
    pass()
    inSpareTurns(() => true)
  }
  expect(offer(500)).toBe(0)
})
