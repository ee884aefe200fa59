import { expect, test } from 'vitest'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { FlorinError } from '../florin-error.ts'
import { deliveriesInMemory } from './deliveries.ts'
import type { Deliveries } from './deliveries.ts'
import { encodeHeader } from './header-json.ts'
import type { PaywallOptions } from './price.ts'
import {
  clockOf,
  MOST,
  openClock,
  openScene,
  outcomeOf,
  said,
  SETTLED,
  turn,
} from './test-upto-shop.ts'

const PLACE = 'http://shop.example/report'
const NOW = 1_800_000_000_000
const YEAR = 365 * 24 * 3_600_000
const accepted = { ...MOST, scheme: 'exact' }
const PROOF = { 'payment-signature': encodeHeader({ x402Version: 2, accepted, payload: {} }) }

/** A visit by `exact` whose settlement goes on after its buyer was told to ask again. */
async function openLate(more: Partial<PaywallOptions> = {}) {
  const clock = openClock()
  const late = Promise.withResolvers<X402SettleAnswer>()
  let times = 0
  const scene = openScene(
    async () => {
      times += 1
      return times === 1 ? late.promise : said('duplicate_settlement')
    },
    { ...{ clock, scheme: 'exact' }, ...more },
  )
  const ask = async (url = PLACE, method = 'GET') => outcomeOf(await scene.ask(PROOF, url, method))
  const first = ask()
  await turn()
  clock.pass()
  expect(await first).toBe(503)
  return { ...scene, ask, clock, settle: () => late.resolve(SETTLED) }
}

/** Records in a database: each word to it takes its turns. */
function slowDeliveries(): Deliveries {
  const rows = deliveriesInMemory()
  const later = async () => {
    for (let turns = 0; turns < 3; turns += 1) await turn()
  }
  return {
    begin: async (...given) => {
      await later()
      return rows.begin(...given)
    },
    end: async (...given) => {
      await later()
      await rows.end(...given)
    },
  }
}

test('whoever asks again while the settlement goes on has its success, however long records take', async () => {
  const { ask, settle, amounts, told } = await openLate({ deliveries: slowDeliveries() })
  const again = ask()
  await turn()
  settle()
  expect(await again).toBe('admitted')
  expect([amounts.length, told]).toEqual([1, ['paid 100000']])
})

test.each([
  ['an earlier answer that was lost', 'lost before'],
  ['an answer that was lost on the way to this one', 'lost meanwhile'],
])('a success of a year ago is not the one of %s', async (_, when) => {
  let isAway = true
  const yearAgo = { ...said('duplicate_settlement').extra, firstAnsweredAt: NOW - YEAR }
  const { ask, told } = openScene(
    async (_amount, options) => {
      if (isAway || when === 'lost meanwhile') options?.onLost?.()
      if (isAway)
        throw new FlorinError({ code: 'NO_ANSWER', message: 'away', outcomeUnknown: true })
      return { ...said('duplicate_settlement'), extra: yearAgo }
    },
    { scheme: 'exact', clock: { ...clockOf(false), now: () => NOW } },
  )
  expect(outcomeOf(await ask(PROOF))).toBe(503)
  isAway = false
  expect(outcomeOf(await ask(PROOF))).toBe(409)
  expect(told).toEqual(['NO_ANSWER'])
})

test('a success of the moment in which an answer was lost is let in', async () => {
  let now = NOW
  let isAway = true
  const ours = { ...said('duplicate_settlement').extra, firstAnsweredAt: NOW - 60_000 }
  const { ask } = openScene(
    async () => {
      if (isAway)
        throw new FlorinError({ code: 'NO_ANSWER', message: 'away', outcomeUnknown: true })
      return { ...said('duplicate_settlement'), extra: ours }
    },
    { scheme: 'exact', clock: { ...clockOf(false), now: () => now } },
  )
  expect(outcomeOf(await ask(PROOF))).toBe(503)
  now += YEAR
  expect(outcomeOf(await ask(PROOF))).toBe(503)
  isAway = false
  expect(outcomeOf(await ask(PROOF))).toBe('admitted')
})

test('whoever is told so twice may ask a third time', async () => {
  const { ask, settle, clock, amounts } = await openLate()
  const second = ask()
  await turn()
  clock.pass()
  expect(await second).toBe(503)
  const third = ask()
  await turn()
  settle()
  expect([await third, amounts.length]).toEqual(['admitted', 1])
})

test('of two who ask again one has it', async () => {
  const { ask, settle, told } = await openLate()
  const both = [ask(), ask()]
  await turn()
  settle()
  expect((await Promise.all(both)).toSorted()).toEqual([409, 'admitted'])
  expect(told).toEqual(['paid 100000'])
})

test.each([
  ['another address', 'http://shop.example/dear', 'GET'],
  ['another method', PLACE, 'POST'],
])('%s has nothing of a settlement that goes on', async (_, url, method) => {
  const { ask, settle } = await openLate()
  const elsewhere = ask(url, method)
  await turn()
  settle()
  expect(await elsewhere).toBe(409)
})
