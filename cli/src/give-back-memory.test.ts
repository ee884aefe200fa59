import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

test('what nobody needs any more is gone afterwards, in a process started without the flag', async () => {
  const left = new WeakRef({ code: 'of a start' })
  // A reference that was looked at is kept until its turn of the event loop is over.
  await nextTurn()
  giveBackMemory()
  expect(left.deref()).toBeUndefined()
})
