import { expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from './endpoint.ts'
import { shareCalls } from './share-calls.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const clock = { sleep: async () => undefined }

/** Calls that answer when they are told. */
function heldCalls() {
  const calls: { answer(): void; fail(error: Error): void }[] = []
  const ask = (asked: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      calls.push({ answer: () => resolve(asked), fail: reject })
    })
  const share = shareCalls<number, number>({ clock, sizeOf: () => 1, callSizeMax: 1, ask })
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

test('no more than ten thousand wait', async () => {
  const { share } = heldCalls()
  const waiting = Array.from({ length: 10_000 }, (_, index) => share(index))
  void Promise.allSettled(waiting)
  await expect(share(0)).rejects.toThrow('too many')
})
