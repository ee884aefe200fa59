import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from './endpoint.ts'
import { shareCalls } from './share-calls.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Calls that answer when they are told. */
function heldCalls({
  sleep = async () => undefined,
  ...limits
}: {
  callSizeMax?: number
  callsMax?: number
  apartMilliseconds?: number
  sleep?: (milliseconds: number) => Promise<void>
} = {}) {
  const calls: { readonly asked: readonly number[]; answer(): void; fail(error: Error): void }[] =
    []
  const ask = (asked: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      calls.push({ asked, answer: () => resolve(asked), fail: reject })
    })
  const share = shareCalls<number, number>({
    clock: { sleep },
    sizeOf: () => 1,
    callSizeMax: 1,
    ...limits,
    ask,
  })
  return { calls, share }
}

test('whoever waits behind a node that hangs is told with the first whom it keeps waiting', async () => {
  const { calls, share } = heldCalls()
  const ends = Promise.allSettled([1, 2, 3, 4, 5].map((each) => share(each)))
  await turn()
  await turn()
  expect(calls).toHaveLength(2)
  calls[0]?.fail(new NodeTimeout('no answer in time'))
  await turn()
  calls[1]?.answer()
  const statuses = (await ends).map(({ status }) => status)
  expect(statuses).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected', 'rejected'])
  expect(calls).toHaveLength(2)
})

test('a call that fails at once fails for those who share it, and for nobody else', async () => {
  const { calls, share } = heldCalls()
  const ends = Promise.allSettled([1, 2, 3].map((each) => share(each)))
  await turn()
  await turn()
  calls[0]?.fail(new NodeFailure('refused'))
  await turn()
  await turn()
  for (const { answer } of calls.slice(1)) answer()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})

test('no two calls begin together, however many wait', async () => {
  const pause = Promise.withResolvers<void>()
  const { calls, share } = heldCalls({ callSizeMax: 3, callsMax: 8, sleep: () => pause.promise })
  for (let each = 1; each <= 6; each += 1) void share(each)
  await turn()
  void share(7)
  await turn()
  expect(calls.map(({ asked }) => asked)).toEqual([[1, 2, 3]])
  pause.resolve()
  await turn()
  expect(calls[1]?.asked).toEqual([4, 5, 6])
})

test('beyond two calls under way only full ones begin without the long pause', async () => {
  const pauses: { readonly milliseconds: number; end(): void }[] = []
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => pauses.push({ milliseconds, end: resolve }))
  const endPauses = (milliseconds: number) => {
    for (const pause of pauses) if (pause.milliseconds === milliseconds) pause.end()
  }
  const { calls, share } = heldCalls({ callSizeMax: 3, callsMax: 8, sleep })
  const asked = () => calls.map((call) => call.asked)
  for (const each of [1, 2, 3, 4]) {
    void share(each)
    await turn()
    endPauses(1)
    await turn()
  }
  expect(asked()).toEqual([[1], [2]])
  void share(5)
  await turn()
  endPauses(1)
  await turn()
  expect(asked()).toEqual([[1], [2], [3, 4, 5]])
  void share(6)
  await turn()
  endPauses(1)
  await turn()
  expect(calls).toHaveLength(3)
  endPauses(5)
  await turn()
  expect(calls.at(-1)?.asked).toEqual([6])
})

test('no more than ten thousand wait', async () => {
  const { share } = heldCalls()
  const waiting = Array.from({ length: 10_000 }, (_, index) => share(index))
  void Promise.allSettled(waiting)
  await expect(share(0)).rejects.toThrow('too many')
})

test('calls that are kept apart begin when none is under way, after their time, or full', async () => {
  const pauses: { readonly milliseconds: number; end(): void }[] = []
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => pauses.push({ milliseconds, end: resolve }))
  const endPauses = async (milliseconds: number) => {
    for (const pause of pauses.splice(0)) {
      if (pause.milliseconds === milliseconds) pause.end()
      else pauses.push(pause)
    }
    await turn()
  }
  const { calls, share } = heldCalls({ callSizeMax: 3, apartMilliseconds: 20, sleep })
  const asked = () => calls.map((call) => call.asked)
  const ask = async (...all: readonly number[]) => {
    for (const each of all) void share(each)
    await turn()
  }
  await ask(1)
  await ask(2)
  await endPauses(1)
  expect(asked()).toEqual([[1]])
  calls[0]?.answer()
  await turn()
  expect(asked()).toEqual([[1], [2]])
  await endPauses(1)
  await ask(3)
  // The end of an earlier time says nothing of the last call.
  pauses.shift()?.end()
  await turn()
  expect(asked()).toHaveLength(2)
  await endPauses(20)
  expect(asked()).toEqual([[1], [2], [3]])
  calls[1]?.answer()
  await endPauses(1)
  await ask(4, 5, 6)
  expect(asked()).toEqual([[1], [2], [3], [4, 5, 6]])
})
