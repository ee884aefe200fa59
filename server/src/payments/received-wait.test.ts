import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openReceivedRecords } from './received.ts'
import { noWaits } from './test-waits.ts'
import type { Waits } from './wait.ts'

const [accountId, paymentId] = [newId(systemRandom, 'acct'), newId(systemRandom, 'pay')]
const until = { atMilliseconds: 0, over: new AbortController().signal }

/** Records of one payment that is under way, with what was asked of it. */
function recordsWith(look: (asked: string[]) => Waits['look']) {
  const asked: string[] = []
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
    waits: { ...noWaits, look: look(asked) },
  })
  return { asked, records }
}

test('of a claim that has changed everything is read at once, of one that is looked at by itself only whether there is more', async () => {
  const { asked, records } = recordsWith((noted) => async (_id, read) => {
    await read(false)
    noted.push('changed')
    return read(true)
  })
  expect(await records.wait({ accountId, paymentId }, until)).toBe(undefined)
  expect(asked).toEqual(['under way', 'changed', 'everything'])
})

test('of a claim that was just stored nothing is read until something was heard of it', async () => {
  let isWoken = false
  const { asked, records } = recordsWith((noted) => async (_id, read) => {
    const first = await read(false)
    noted.push('a second')
    return first === undefined ? first : read(isWoken)
  })
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
