import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openFoundPlace } from '../sender/test-found.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { diagnose } from './run.ts'

const START = Date.UTC(2026, 0, 1)
const OLD = limits.foundUnseenSeconds * 1000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const diagnosisAt = async (nowMilliseconds: number) =>
  await diagnose({
    store: database.store,
    chains: [],
    clock: { ...systemClock, nowMilliseconds: () => nowMilliseconds },
  })

test('the doctor names what nodes found and nobody saw mined, the oldest first, until it is seen', async () => {
  const later = await openFoundPlace(database.store, 4_000_001)
  const sooner = await openFoundPlace(database.store, 4_000_002)
  const searched = await openFoundPlace(database.store, 4_000_003)
  await later.look('one', START + 60_000)
  await sooner.look('two', START)
  await sooner.look('one', START + 1_000)
  await searched.look('one', START, false)

  const nothing = { findings: [], unasked: [], notTaken: [], clocks: [], lookAt: [] }
  expect(await diagnosisAt(START + OLD - 1)).toEqual(nothing)
  const of = ({ network, attempt }: typeof sooner) => ({
    network,
    address: attempt.laneAddress,
    nonce: String(attempt.nonce),
    hash: attempt.hash,
  })
  const first = { ...of(sooner), nodes: ['one', 'two'], since: '2026-01-01T00:00:00.000Z' }
  const second = { ...of(later), nodes: ['one'], since: '2026-01-01T00:01:00.000Z' }
  expect(await diagnosisAt(START + OLD)).toEqual({ ...nothing, lookAt: [first] })
  expect(await diagnosisAt(START + OLD + 60_000)).toEqual({ ...nothing, lookAt: [first, second] })

  await sooner.mine()
  expect(await diagnosisAt(START + OLD + 60_000)).toEqual({ ...nothing, lookAt: [second] })
})
