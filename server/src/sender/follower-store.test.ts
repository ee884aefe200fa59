import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Block } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import { testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import * as follower from './follower-store.ts'
import { haltNetwork } from './halt-store.ts'
import { rollBack } from './roll-back-store.ts'

const LEASE_MILLISECONDS = 60_000
const FIRST = 100n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** One instance follows both networks, whose blocks have the same heights and other hashes. */
let here: NetworkId
let there: NetworkId
let cursor: follower.Cursor
let serial = 0
beforeEach(async () => {
  serial += 2
  here = testNetwork(74_000 + serial).network
  there = testNetwork(74_001 + serial).network
  await begin(there)
  cursor = await begin(here)
})

const hashAt = (network: NetworkId, height: bigint) => `${network} ${height}`
const blockAt = (network: NetworkId, height: bigint): Block => ({
  ...{ height, hash: hashAt(network, height), parentHash: hashAt(network, height - 1n) },
  ...{ timeMilliseconds: 0, transactionHashes: [] },
})
const take = (network: NetworkId, owner: string) =>
  inService((tx) => follower.takeLease(tx, network, owner, LEASE_MILLISECONDS))

/** Reads three blocks of a network. */
async function begin(network: NetworkId): Promise<follower.Cursor> {
  await inService((tx) => follower.beginFollowing(tx, network, blockAt(network, FIRST)))
  const taken = await take(network, 'one')
  if (taken === undefined) throw new Error('no lease')
  const blocks = [1n, 2n, 3n].map((step) => blockAt(network, FIRST + step))
  return inService((tx) => follower.storeBlocks(tx, taken, blocks))
}

/** All that is stored of a network. */
const rowsOf = (network: NetworkId) =>
  database.store.query(
    'test_rows',
    `select f as follower, b as block from followers f left join followed_blocks b on b.network = f.network
     where f.network = $1 order by b.height`,
    [network],
  )

describe('the lease of a network', () => {
  test('is another instance’s as soon as its holder gives it back, with the next fence', async () => {
    expect(await take(here, 'two')).toBeUndefined()
    await inService((tx) => follower.releaseLease(tx, here, 'one'))
    expect(await take(here, 'two')).toMatchObject({ fence: cursor.fence + 1n })
    expect(await take(here, 'one')).toBeUndefined()
  })

  test('is given back by nobody but its holder, and that of another network is kept', async () => {
    await inService((tx) => follower.releaseLease(tx, here, 'two'))
    expect(await take(here, 'two')).toBeUndefined()
    await inService((tx) => follower.releaseLease(tx, here, 'one'))
    expect(await take(there, 'two')).toBeUndefined()
  })

  test('that its holder renews keeps its fence, and one that it takes anew after its time has another', async () => {
    expect(await take(here, 'one')).toMatchObject({ fence: cursor.fence })
    await inService((tx) => follower.releaseLease(tx, here, 'one'))
    expect(await take(here, 'one')).toMatchObject({ fence: cursor.fence + 1n })
  })

  test('that was lost lets nothing be written any more', async () => {
    await inService((tx) => follower.releaseLease(tx, here, 'one'))
    await take(here, 'two')
    const rows = await rowsOf(here)
    const next = blockAt(here, FIRST + 4n)
    const to = { height: next.height, blockHash: next.hash, finalizedHeight: FIRST }
    for (const written of [
      (tx: Tx) => follower.moveCursor(tx, cursor, to),
      (tx: Tx) => follower.storeBlocks(tx, cursor, [next]),
      (tx: Tx) => follower.storeFinality(tx, cursor, FIRST + 1n),
      (tx: Tx) => follower.holdLease(tx, cursor),
      (tx: Tx) => rollBack(tx, cursor, { ...to, height: FIRST }, { hasNonces: true }),
    ]) {
      await expect(inService<unknown>(written)).rejects.toThrow(follower.LeaseLost)
    }
    expect(await rowsOf(here)).toEqual(rows)
  })

  test('lets nothing be written on where an operator has to look first', async () => {
    await inService((tx) => haltNetwork(tx, here, 'a test'))
    const { fence } = (await take(here, 'one')) ?? cursor
    const held = { ...cursor, fence }
    for (const written of [
      (tx: Tx) => follower.storeBlocks(tx, held, [blockAt(here, FIRST + 4n)]),
      (tx: Tx) => follower.storeFinality(tx, held, FIRST + 1n),
      (tx: Tx) => follower.holdLease(tx, held),
    ]) {
      await expect(inService<unknown>(written)).rejects.toThrow('the network was halted')
    }
  })
})

const DEEDS: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  'it is read on': (tx) => follower.storeBlocks(tx, cursor, [blockAt(here, FIRST + 4n)]),
  'its blocks are final, and old ones forgotten': (tx) =>
    follower.storeFinality(tx, cursor, FIRST + 1n + BigInt(limits.finalBlocksKept)),
  'its blocks are undone': (tx) =>
    rollBack(tx, cursor, { height: FIRST, blockHash: hashAt(here, FIRST) }, { hasNonces: true }),
  'it is read anew': (tx) => follower.haveReadAnew(tx, here),
  'its lease is taken': (tx) => follower.takeLease(tx, here, 'one', LEASE_MILLISECONDS + 1),
  'its lease is given back': (tx) => follower.releaseLease(tx, here, 'one'),
  'it is halted': (tx) => haltNetwork(tx, here, 'a test'),
}
test.each(Object.entries(DEEDS))('%s, and no other network is', async (_, deed) => {
  const [own, other] = [await rowsOf(here), await rowsOf(there)]
  await inService(deed)
  expect(await rowsOf(here)).not.toEqual(own)
  expect(await rowsOf(there)).toEqual(other)
})

test('what was read of one network says nothing of the blocks of another', async () => {
  const top = FIRST + 3n
  const [own, other] = [here, there].map((network) => blockAt(network, top))
  if (own === undefined || other === undefined) throw new Error('no block')
  const below = { height: FIRST - 1n, blockHash: 'below all' }
  await inService(async (tx) => {
    for (const [network, { hash }] of [
      [here, own],
      [there, other],
    ] as const) {
      const { hashes, ...chain } = await follower.followedChain(tx, network, [top])
      expect({ ...chain, hashes: [...hashes] }).toEqual({
        ...{ height: top, tip: hash, hashes: [[top, hash]] },
      })
    }
    expect([...(await follower.areFollowed(tx, here, [own, other]))]).toEqual([own.hash])
    const remembered = await follower.rememberedBlocks(tx, cursor)
    expect(remembered.map(({ blockHash }) => blockHash)).toEqual(
      [3n, 2n, 1n, 0n].map((step) => hashAt(here, FIRST + step)),
    )
    const early = { ...cursor, height: FIRST + 1n }
    expect(await follower.rememberedBlocks(tx, early)).toEqual(remembered.slice(2))
    const stands = (height: bigint, blockHash: string) =>
      follower.standsOnFollowed(tx, here, { height, blockHash })
    expect(await stands(top, own.hash)).toBe(true)
    expect(await stands(top, other.hash)).toBe(false)
    expect(await stands(top - 1n, own.hash)).toBe(false)
    // Where reading has begun later than elsewhere, what is below is below all that is remembered.
    await follower.storeFinality(tx, cursor, FIRST + 2n + BigInt(limits.finalBlocksKept))
    expect(await stands(FIRST + 1n, 'forgotten')).toBe(true)
    expect(await follower.standsOnFollowed(tx, there, { ...below, height: FIRST + 1n })).toBe(false)
    expect(await follower.standsOnFollowed(tx, there, below)).toBe(true)
  })
})
