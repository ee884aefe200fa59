import { expect, test } from 'vitest'
import type { X402SettleAnswer } from '../contract/x402-settle.ts'
import { deliveriesInMemory } from './deliveries.ts'
import type { Deliveries } from './deliveries.ts'
import { encodeHeader } from './header-json.ts'
import type { PaywallOptions } from './price.ts'
import { MOST, openClock, openScene, outcomeOf, said, SETTLED, turn } from './test-upto-shop.ts'

const PLACE = 'http://shop.example/report'
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
