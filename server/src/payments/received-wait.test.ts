import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openReceivedRecords } from './received.ts'

test('of a claim that has changed everything is read at once, of one that is looked at by itself only whether there is more', async () => {
  const asked: string[] = []
  const [accountId, paymentId] = [newId(systemRandom, 'acct'), newId(systemRandom, 'pay')]
  const records = openReceivedRecords({
    clock: systemClock,
    networks: new Map(),
    inTransaction: () => Promise.reject(new Error('asked alone')),
    isUnderWay: async () => {
      asked.push('under way')
      return true
    },
    standingOf: async () => {
      asked.push('everything')
      return undefined
    },
    waits: {
      look: async (_id, read) => {
        await read(false)
        asked.push('changed')
        return read(true)
      },
    },
  })
  const over = new AbortController().signal
  expect(await records.wait({ accountId, paymentId }, { atMilliseconds: 0, over })).toBe(undefined)
  expect(asked).toEqual(['under way', 'changed', 'everything'])
})
