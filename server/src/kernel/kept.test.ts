import { expect, test } from 'vitest'
import { openKept } from './kept.ts'

test('what is kept is waited for, also what it brings about itself, and a failure ends no wait', async () => {
  const kept = openKept()
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<undefined>()
  kept.keep(Promise.reject(new Error('its own affair')))
  kept.keep(
    promise.then(() => {
      order.push('first')
      kept.keep(Promise.resolve().then(() => order.push('second')))
    }),
  )
  const ended = kept.ended().then(() => order.push('ended'))
  resolve(undefined)
  await ended
  expect(order).toEqual(['first', 'second', 'ended'])
})
