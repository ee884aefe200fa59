import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { openFoundPlace } from '../sender/test-found.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openScene } from '../transactions/test-scene.ts'
import { noteUnread } from '../transactions/unread-store.ts'
import { diagnose } from './run.ts'

const START = Date.UTC(2026, 0, 1)
const OLD = limits.foundUnseenSeconds * 1000

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const diagnosisAt = async (nowMilliseconds: number, { store } = database) =>
  await diagnose({
    store,
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

test('the doctor names a built payment that a block holds and nobody tells, ten minutes after it was built', async () => {
  const own = await openTestDatabase()
  onTestFinished(() => own.close())
  const scene = await openScene(own.store, 'solana')
  const { build } = await scene.build()
  const { paymentId, network, sender } = build
  const of = (hash: string) => ({
    ...{ paymentId, transactionHash: hash as TransactionHash, height: 9n, blockHash: 'a9' },
  })
  await own.store.inTransaction('service', (tx) => noteUnread(tx, network, [of('untold')]))
  const builtAt = build.createdAtMilliseconds
  const named = async (nowMilliseconds: number) =>
    (await diagnosisAt(nowMilliseconds, own)).lookAt.filter((each) => each.network === network)
  expect(await named(builtAt + OLD - 1)).toEqual([])
  expect(await named(builtAt + OLD)).toEqual([
    {
      ...{ network, address: sender, nonce: 'build', hash: 'untold' },
      nodes: ['a followed block, untold'],
      since: new Date(builtAt).toISOString(),
    },
  ])
})
