import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import { makeWallet } from '../payments/test-lane.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { NumberedEvent } from './event.ts'
import { openFeed } from './feed.ts'
import type { Feed } from './feed.ts'
import { deaf, tell, testRelay } from './test-outbox.ts'

const SOON = { seconds: 30 }

let database: TestDatabase
/** Everything that was numbered, in order. */
const numbered: NumberedEvent[] = []
let relay: ReturnType<typeof testRelay>
beforeAll(async () => {
  database = await openTestDatabase()
  relay = testRelay(database.store, { announce: (events) => void numbered.push(...events) })
})
afterAll(async () => {
  await relay.stop()
  await database.close()
})

/** Events of an account, from the first number on. */
async function write(accountId: AccountId, count: number): Promise<readonly NumberedEvent[]> {
  const own = () => numbered.filter((event) => event.accountId === accountId)
  const before = own().length
  await database.store.inTransaction('service', async (tx) => {
    for (let index = 0; index < count; index += 1) await tell(tx, accountId, `thing-${index}`)
  })
  relay.wake()
  await until('they are numbered', () => own().length === before + count, SOON)
  return own()
}

/** A feed that hears nothing from outside and never looks again by itself. */
function deafFeed(store: Store = database.store): Feed {
  const never = (_: number, signal?: AbortSignal) => systemClock.sleep(3_600_000, signal)
  return openFeed({
    ...{ store, listener: deaf, log: openLog('silent') },
    clock: { ...systemClock, sleep: never },
  })
}

function reader() {
  const sequences: number[] = []
  return {
    sequences,
    take: (events: readonly { event: NumberedEvent }[]) => {
      sequences.push(...events.map(({ event }) => event.sequence))
    },
    keepsUp: () => true,
    ready: () => Promise.resolve(),
  }
}

const account = async () => (await makeWallet(database.store)).accountId

test('what others have numbered before what is announced is read, and comes first', async () => {
  const accountId = await account()
  const feed = deafFeed()
  const one = reader()
  const membership = feed.join(accountId, one)
  membership.replay(await membership.newest())
  const events = await write(accountId, 5)
  // It was told of the first and of the last alone.
  feed.announce(events.slice(0, 1))
  feed.announce(events.slice(4))
  await until('everything came', () => one.sequences.length >= 5, SOON)
  feed.announce(events)
  expect(one.sequences).toEqual([1, 2, 3, 4, 5])
  membership.leave()
  await feed.stop()
})

test('what is announced while a replay is read comes after it, once', async () => {
  const accountId = await account()
  const first = await write(accountId, 150)
  const held = Promise.withResolvers<void>()
  let reads = 0
  const store: Store = {
    ...database.store,
    inTransaction: (scope, work) =>
      database.store.inTransaction(scope, (tx) =>
        work({
          query: async <Row extends object>(
            name: string,
            text: string,
            values?: readonly unknown[],
          ) => {
            const rows = await tx.query<Row>(name, text, values)
            if (name === 'events_after') {
              reads += 1
              // The second page was read before what is announced now was there.
              if (reads === 2) await held.promise
            }
            return rows
          },
        }),
      ),
  }
  const feed = deafFeed(store)
  const one = reader()
  const membership = feed.join(accountId, one)
  await membership.newest()
  membership.replay(0)
  await until('it waits for the second page', () => reads === 2, SOON)
  const all = await write(accountId, 3)
  feed.announce(all.slice(first.length))
  held.resolve()
  await until('everything came', () => one.sequences.length >= 153, SOON)
  expect(one.sequences).toEqual(Array.from({ length: 153 }, (_, index) => index + 1))
  membership.leave()
  await feed.stop()
})

test('readers of one account do not hear of another, and who has left hears nothing', async () => {
  const [mine, theirs] = [await account(), await account()]
  const feed = deafFeed()
  const [stays, leaves] = [reader(), reader()]
  const memberships = [feed.join(mine, stays), feed.join(mine, leaves)]
  for (const membership of memberships) membership.replay(await membership.newest())
  const [own, foreign] = [await write(mine, 1), await write(theirs, 1)]
  feed.announce([...own, ...foreign])
  await until('both have it', () => stays.sequences.length + leaves.sequences.length === 2, SOON)
  memberships[1]?.leave()
  feed.announce((await write(mine, 1)).slice(1))
  await until('one has it', () => stays.sequences.length === 2, SOON)
  expect(leaves.sequences).toEqual([1])
  memberships[0]?.leave()
  await feed.stop()
})

test('whoever leaves because of what another is told hears nothing of it', async () => {
  const accountId = await account()
  const feed = deafFeed()
  const readers = Array.from({ length: 40 }, reader)
  const memberships = readers.map((each) => feed.join(accountId, each))
  for (const membership of memberships) membership.replay(await membership.newest())
  const [first] = await write(accountId, 1)
  if (first === undefined) throw new Error('nothing was numbered')
  feed.announce([first])
  await until('all have it', () => readers.every((each) => each.sequences.length === 1), SOON)
  const second = (await write(accountId, 1)).slice(1)
  const told = readers[0]
  if (told === undefined) throw new Error('no reader')
  const { take } = told
  told.take = (events) => {
    take(events)
    memberships[1]?.leave()
    memberships[39]?.leave()
  }
  feed.announce(second)
  const counts = readers.map((each) => each.sequences.length)
  expect(counts).toEqual(readers.map((_, index) => (index === 1 || index === 39 ? 1 : 2)))
  for (const membership of memberships) membership.leave()
  await feed.stop()
})
