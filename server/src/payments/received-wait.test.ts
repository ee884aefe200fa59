import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openReceivedRecords } from './received.ts'
import { noWaits } from './test-waits.ts'

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
      ...noWaits,
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

test('of a claim that was just stored nothing is read until something was heard of it', async () => {
  const asked: string[] = []
  const [accountId, paymentId] = [newId(systemRandom, 'acct'), newId(systemRandom, 'pay')]
  let isWoken = false
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
      ...noWaits,
      look: async (_id, read) => {
        const first = await read(false)
        asked.push('a second')
        return first === undefined ? first : read(isWoken)
      },
    },
  })
  const until = { atMilliseconds: 0, over: new AbortController().signal }
  const wait = (hasChanged: boolean) =>
    records.wait({ accountId, paymentId }, until, { hasChanged: () => hasChanged })
  await wait(false)
  // Nobody may have said so: then it is looked at as any other.
  expect(asked.splice(0)).toEqual(['a second', 'under way', 'everything'])
  isWoken = true
  await wait(false)
  expect(asked.splice(0)).toEqual(['a second', 'everything'])
  // It changed before anybody waited.
  await wait(true)
  expect(asked).toEqual(['everything', 'a second'])
})
