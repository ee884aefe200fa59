import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../access/create-account.ts'
import { systemClock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { PaidListing } from './listing.ts'
import { listingsOfAccount, listingsPage, noteListing, searchListings } from './store.ts'
import { write } from '../store/test-write.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const newAccount = async (): Promise<AccountId> => {
  const deps = { store: database.store, clock: systemClock, random: systemRandom }
  return (await createAccount(deps, 'seller')).accountId
}
const listing = (resource: string, change: Partial<PaidListing> = {}): PaidListing => ({
  resource,
  ...{ type: 'http', method: 'GET', toolName: '', x402Version: 2 },
  ...{ description: 'words', mimeType: null, serviceName: null, tags: [], iconUrl: null },
  bazaar: { info: {}, schema: {} },
  accept: accept('1'),
  ...change,
})
const accept = (amount: string, payTo = 'a') => ({
  ...{ network: 'eip155:1', scheme: 'exact', asset: 'x', payTo, amount },
  requirement: { amount },
})
const note = (accountId: AccountId, each: PaidListing, now: number) =>
  database.store.inTransaction(accountId, (tx) => noteListing(tx, accountId, each, now))
const read = (accountId: AccountId) =>
  database.store.inTransaction(accountId, (tx) => listingsOfAccount(tx, accountId))

test('beyond the limit of an account, what was settled longest ago makes room', async () => {
  const [accountId, other] = [await newAccount(), await newAccount()]
  await note(other, listing('https://other.example/'), 1)
  const max = limits.catalogueResourcesPerAccountMax
  await database.store.inTransaction(accountId, async (tx) => {
    for (let at = 0; at < max; at += 1) {
      await noteListing(tx, accountId, listing(`https://a.example/${at}`), 1_000 + at)
    }
  })
  await note(accountId, listing('https://a.example/0'), 5_000)
  await note(accountId, listing('https://a.example/new'), 6_000)
  const resources = (await read(accountId)).map((each) => each.resource)
  expect(resources).toHaveLength(max)
  expect(resources.slice(0, 2)).toEqual(['https://a.example/new', 'https://a.example/0'])
  expect(resources).not.toContain('https://a.example/1')
  expect(await read(other)).toHaveLength(1)
})

test('the newest price of a way to pay stands, and the ways are so many at most', async () => {
  const accountId = await newAccount()
  const resource = 'https://a.example/'
  for (const amount of ['1', '2']) {
    await note(accountId, listing(resource, { accept: accept(amount) }), 1)
  }
  expect((await read(accountId))[0]?.accepts).toEqual([accept('2')])
  for (let at = 0; at < 12; at += 1) {
    await note(accountId, listing(resource, { accept: accept('3', `to-${at}`) }), 2)
  }
  const [listed] = await read(accountId)
  expect(listed?.accepts).toHaveLength(limits.catalogueAcceptsMax)
  expect(listed?.accepts[0]).toEqual(accept('3', 'to-11'))
  expect(listed?.settledCount).toBe(14)
})

test('version 1 does not replace what version 2 has said', async () => {
  const accountId = await newAccount()
  const resource = 'https://a.example/'
  const first = listing(resource, { x402Version: 1, description: 'old' })
  await note(accountId, first, 1)
  await note(accountId, listing(resource, { description: 'new', accept: accept('2', 'b') }), 2)
  await note(accountId, first, 3)
  expect(await read(accountId)).toMatchObject([
    { x402Version: 2, description: 'new', accepts: [accept('2', 'b')], settledCount: 3 },
  ])
})

test('settlements at the same moment are all counted', async () => {
  const accountId = await newAccount()
  const resource = 'https://a.example/'
  await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      note(accountId, listing(resource, { accept: accept('1', `to-${at % 4}`) }), at),
    ),
  )
  const [listed] = await read(accountId)
  expect(listed?.settledCount).toBe(8)
  expect(new Set(listed?.accepts.map(({ payTo }) => payTo)).size).toBe(4)
})

test('what was said before is not written again, and no other listing is held meanwhile', async () => {
  const accountId = await newAccount()
  const [one, other] = [listing('https://a.example/one'), listing('https://a.example/other')]
  await note(accountId, one, 1)
  await note(accountId, other, 2)
  await database.store.inTransaction(accountId, async (tx) => {
    const written = async () => {
      const [row] = await tx.query<{ updates: string }>(
        'test_updates',
        `select n_tup_upd as updates from pg_stat_xact_user_tables where relname = 'catalogue_resources'`,
      )
      return Number(row?.updates)
    }
    const before = await written()
    await noteListing(tx, accountId, one, 3)
    expect((await written()) - before).toBe(1)
    const free = await database.store.inTransaction(accountId, (beside) =>
      beside.query<{ resource: string }>(
        'test_free',
        'select resource from catalogue_resources where account_id = $1 for update skip locked',
        [accountId],
      ),
    )
    expect(free).toEqual([{ resource: other.resource }])
  })
  for (const change of [
    { description: 'other words' },
    { description: null },
    { tags: ['a'] },
    { bazaar: { info: { a: 1 }, schema: {} } },
    { accept: accept('2') },
  ]) {
    const said = listing(one.resource, change)
    await note(accountId, said, 4)
    const { accept: paid, ...words } = said
    expect((await read(accountId))[0]).toMatchObject({ ...words, accepts: [paid] })
  }
})

test('a page has so many bytes at most, and pages give everything once', async () => {
  const accountId = await newAccount()
  const payTo = 'large'
  const large = { info: { text: 'x'.repeat(limits.catalogueListingCharactersMax - 100) } }
  const resources = Array.from({ length: 40 }, (_, at) => `https://large.example/${at}`)
  for (const resource of resources) {
    const change = { description: 'bulky', bazaar: large, accept: accept('1', payTo) }
    await note(accountId, listing(resource, change), 1)
  }
  const filter = { type: null, accept: { payTo }, limit: 100 }
  const pages = [
    (offset: number) =>
      database.store.inTransaction('service', (tx) => listingsPage(tx, { ...filter, offset })),
    (offset: number) =>
      database.store.inTransaction('service', (tx) =>
        searchListings(tx, 'bulky', { ...filter, offset }),
      ),
  ]
  for (const page of pages) {
    const seen: string[] = []
    for (let isMore = true; isMore;) {
      const { listed, found } = await page(seen.length)
      expect(found).toBe(resources.length - seen.length)
      expect(listed.length).toBeGreaterThan(0)
      expect(JSON.stringify(listed).length).toBeLessThan(limits.catalogueAnswerBytesMax * 1.1)
      seen.push(...listed.map(({ resource }) => resource))
      isMore = listed.length < found
    }
    expect(seen.sort()).toEqual(resources.sort())
  }
})

test('one that is larger than a page is a page', async () => {
  const found = await database.store.inTransaction('service', (tx) =>
    listingsPage(tx, { type: null, accept: { payTo: 'large' }, limit: 2, offset: 0 }, 10),
  )
  expect(found).toMatchObject({ found: 2, total: 40 })
  expect(found.listed).toHaveLength(1)
})

test('what a suspended account has listed is found by nobody until it is open again', async () => {
  const [accountId, other] = [await newAccount(), await newAccount()]
  for (const each of [accountId, other]) {
    const change = { description: 'lanterns', accept: accept('1', 'lamp') }
    await note(each, listing(`https://lamp.example/${each}`, change), 1)
  }
  const suspend = (since: string | null) =>
    write(database.store, 'test_suspend', 'update accounts set suspended_at = $2 where id = $1', [
      accountId,
      since,
    ])
  const filter = { type: null, accept: { payTo: 'lamp' }, limit: 10, offset: 0 }
  const counts = () =>
    database.store.inTransaction('service', async (tx) => {
      const { listed, total } = await listingsPage(tx, filter)
      const found = await searchListings(tx, 'lantern', filter)
      return [listed.length, total, found.listed.length]
    })
  expect(await counts()).toEqual([2, 2, 2])
  await suspend('2026-01-01')
  expect(await counts()).toEqual([1, 1, 1])
  // It sees its own all the same.
  expect(await read(accountId)).toHaveLength(1)
  await suspend(null)
  expect(await counts()).toEqual([2, 2, 2])
})
