import { expect, test } from 'vitest'
import { openLog } from '@florin/server/kernel/log.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { Child } from './child.ts'
import { supervise } from './supervise.ts'

/** A clock that passes only by sleeping, at once. */
function jumpingClock(): Clock & { slept: number[]; jump(milliseconds: number): void } {
  let now = 0
  const slept: number[] = []
  return {
    slept,
    jump: (milliseconds) => {
      now += milliseconds
    },
    nowMilliseconds: () => now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
      now += milliseconds
    },
  }
}

let nextPid = 100
function fakeChild(): Child & { die(): void; stopped: boolean } {
  const gone = Promise.withResolvers<string>()
  nextPid += 1
  const child = {
    pid: nextPid,
    exited: gone.promise,
    stopped: false,
    die: () => gone.resolve('died'),
    stop: async () => {
      child.stopped = true
      gone.resolve('stopped')
    },
  }
  return child
}

function setUp(start?: () => Promise<ReturnType<typeof fakeChild>>) {
  const clock = jumpingClock()
  const children = [fakeChild()]
  const gaveUp: string[] = []
  const newest = () => children.at(-1) ?? children[0]
  const supervisor = supervise({
    name: 'the child',
    first: children[0] ?? fakeChild(),
    start: async () => {
      const child = start === undefined ? fakeChild() : await start()
      children.push(child)
      return child
    },
    onRestarted: async () => undefined,
    onGaveUp: (reason) => gaveUp.push(reason),
    clock,
    log: openLog('silent'),
  })
  return { clock, children, newest, gaveUp, supervisor }
}

test('a child that dies is started again, after growing pauses', async () => {
  const { clock, children, newest, supervisor } = setUp()
  for (let deaths = 1; deaths <= 4; deaths += 1) {
    newest()?.die()
    await until('started again', () => children.length === deaths + 1, { seconds: 30 })
  }
  expect(clock.slept).toEqual([100, 200, 400, 800])
  await supervisor.stop()
  expect(newest()?.stopped).toBe(true)
})

test('deaths that are far apart do not add up', async () => {
  const { clock, children, newest, gaveUp, supervisor } = setUp()
  for (let deaths = 1; deaths <= 20; deaths += 1) {
    newest()?.die()
    await until('started again', () => children.length === deaths + 1, { seconds: 30 })
    clock.jump(61_000)
  }
  expect(new Set(clock.slept)).toEqual(new Set([100]))
  expect(gaveUp).toEqual([])
  await supervisor.stop()
})

test('one that dies again and again, or cannot be started, is given up and said so once', async () => {
  const { newest, gaveUp, supervisor } = setUp(() => Promise.reject(new Error('no')))
  newest()?.die()
  await until('given up', () => gaveUp.length > 0, { seconds: 30 })
  await supervisor.stop()
  expect(gaveUp).toEqual(['the child died 9 times within a minute'])
})

test('a stop while it is being started again stops the new one too', async () => {
  const starting = Promise.withResolvers<ReturnType<typeof fakeChild>>()
  let asked = false
  const { newest, supervisor } = setUp(() => {
    asked = true
    return starting.promise
  })
  newest()?.die()
  await until('being started', () => asked, { seconds: 30 })
  const stopping = supervisor.stop()
  const late = fakeChild()
  starting.resolve(late)
  await stopping
  expect(late.stopped).toBe(true)
})
