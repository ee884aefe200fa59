import { expect, test } from 'vitest'
import type { PaidListing } from '../catalogue/listing.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openKept } from '../kernel/kept.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import { openLister } from './lister.ts'
import type { ToList } from './lister.ts'

const accountId = newId(systemRandom, 'acct')
const toList = (): ToList => ({
  accountId,
  counted: { paymentId: newId(systemRandom, 'pay') },
  listing: {} as Partial<PaidListing> as PaidListing,
})

/** A lister whose database answers when it is told to. */
function slowLister() {
  const asked: (() => void)[] = []
  const store: Partial<Store> = {
    inTransaction: () =>
      new Promise((_resolve, reject) => {
        asked.push(() => reject(new Error('no connection')))
      }),
  }
  const kept = openKept()
  const log = openLog('silent')
  const list = openLister({ store: store as Store, clock: systemClock, log, kept })
  return { list, asked, kept }
}

test('nobody waits for a listing, they take one connection, and one that fails holds up none', async () => {
  const { list, asked, kept } = slowLister()
  expect([list(toList()), list(toList()), list(toList())]).toEqual([true, true, true])
  for (let at = 0; at < 3; at += 1) {
    expect(asked).toHaveLength(at + 1)
    asked[at]?.()
    // Whatever follows the answer happens before anything else does.
    await new Promise((resolve) => setImmediate(resolve))
  }
  await kept.ended()
  expect(asked).toHaveLength(3)
  // After a pause too.
  expect(list(toList())).toBe(true)
  expect(asked).toHaveLength(4)
  asked[3]?.()
  await kept.ended()
})

test('more than wait at most are not taken', async () => {
  const { list, asked, kept } = slowLister()
  const taken = Array.from({ length: limits.catalogueWaitingMax + 3 }, () => list(toList()))
  // One is being listed meanwhile.
  expect(taken.filter((each) => each)).toHaveLength(limits.catalogueWaitingMax + 1)
  expect(taken.at(-1)).toBe(false)
  expect(asked).toHaveLength(1)
  for (let at = 0; at <= limits.catalogueWaitingMax; at += 1) {
    asked[at]?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await kept.ended()
})
