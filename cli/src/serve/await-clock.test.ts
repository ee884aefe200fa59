import { openLog } from '@florin/server/kernel/log.ts'
import { expect, test } from 'vitest'
import { awaitClock } from './await-clock.ts'

const log = openLog('silent')

/** A clock that runs from that moment on, and is set to another one after so many looks. */
function clockFrom(millisecondsAtFirst: number, looks: number, millisecondsThen: number) {
  let slept = 0
  return {
    slept: () => slept,
    nowMilliseconds: () => (slept < looks ? millisecondsAtFirst + slept * 1_000 : millisecondsThen),
    sleep: async () => void (slept += 1),
  }
}

test('nothing is started while the clock of the machine is not set', async () => {
  const clock = clockFrom(0, 100, Date.UTC(2027, 0, 1))
  await awaitClock({ clock, log, signal: new AbortController().signal })
  expect(clock.slept()).toBe(100)
})

test('a clock that is set costs no pause, and whoever ends the start waits for none', async () => {
  const set = clockFrom(Date.UTC(2027, 0, 1), 0, Date.UTC(2027, 0, 1))
  await awaitClock({ clock: set, log, signal: new AbortController().signal })
  const never = clockFrom(0, Infinity, 0)
  await awaitClock({ clock: never, log, signal: AbortSignal.abort() })
  expect([set.slept(), never.slept()]).toEqual([0, 0])
})
