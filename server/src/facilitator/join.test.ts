import { expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { joinClaim } from './join.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'

const unasked = () => {
  throw new Error('nobody asks this')
}

/** What a caller is told whose wait ended in this state. */
async function told(state: Partial<ReceivedState>): Promise<string> {
  const whole: ReceivedState = {
    status: 'pending',
    released: false,
    hash: null,
    logIndex: null,
    blockHeight: null,
    blockHash: null,
    block: 'unknown',
    reverted: false,
    wasShared: false,
    revertedWhole: false,
    isFinal: false,
    isDeep: true,
    attemptBlock: null,
    underWay: false,
    ...state,
  }
  const records: ReceivedRecords = {
    open: unasked,
    openMany: unasked,
    decided: unasked,
    state: unasked,
    adopt: unasked,
    depositOf: unasked,
    paidElsewhere: unasked,
    mirror: unasked,
    unseen: unasked,
    expired: unasked,
    wait: async () => whole,
    listen: unasked,
  }
  const store = {
    ...{ inTransaction: unasked, query: unasked, write: unasked },
    ...{ reachable: unasked, close: unasked },
  }
  const accountId = newId(systemRandom, 'acct')
  const order = { accountId, waitUntilMilliseconds: 0, over: new AbortController().signal }
  const claim = { paymentId: newId(systemRandom, 'pay'), answeredAtMilliseconds: null }
  return (await joinClaim({ store, records, clock: systemClock }, order, claim)).kind
}

test('an attempt of ours that reverted says nothing of a payment that somebody else has paid', async () => {
  expect(await told({ status: 'confirmed', reverted: true })).toBe('pending')
  expect(await told({ status: 'pending', reverted: true })).toBe('reverted')
  expect(await told({ status: 'pending', reverted: true, underWay: true })).toBe('pending')
  expect(await told({ status: 'expired', reverted: true })).toBe('expired')
})

test('an attempt that came to nothing is told at the depth of a success, unless it is tried again alone before anybody hears of it', async () => {
  expect(await told({ reverted: true, isDeep: false })).toBe('pending')
  expect(await told({ reverted: true, isDeep: false, wasShared: true })).toBe('reverted')
})
