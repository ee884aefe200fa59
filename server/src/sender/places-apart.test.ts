import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Terms } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { signTest, testNetwork } from '../payments/test-lane.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { storeTestWallet } from '../store/test-wallet.ts'
import { write } from '../store/test-write.ts'
import { livingAttempts } from './expiry-store.ts'
import { beginFollowing, takeLease } from './follower-store.ts'
import { noteFillings, takeUnbooked } from './gap-filling-store.ts'
import * as lanes from './lane-store.ts'
import { unfreezeLane } from './lane-release-store.ts'
import * as places from './place-store.ts'
import { rollBack } from './roll-back-store.ts'
import * as transactions from './transaction-store.ts'

const NOW = 1_790_000_000_000
const TERMS = JSON.parse('{"fee":"1"}') as Terms
const BLOCK = { height: 5n, hash: 'block 5' }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())
const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** One key has a lane on both networks, with the same nonces, the same bytes and so the same hashes; the other is its neighbour. */
let here: NetworkId
let there: NetworkId
let address: Address
let neighbour: Address
let serial = 0
beforeEach(async () => {
  serial += 2
  here = testNetwork(72_000 + serial).network
  there = testNetwork(72_001 + serial).network
  address = addressOf('a')
  neighbour = addressOf('b')
  for (const network of [here, there]) {
    await inService((tx) => beginFollowing(tx, network, BLOCK))
    await fill(network, address)
  }
  await fill(here, neighbour)
})

const addressOf = (digit: string) =>
  `0x${digit.repeat(36)}${serial.toString().padStart(4, '0')}` as Address

/** Opens a lane with two open places; the second one waits for the first as a swap does for its allowance. */
async function fill(network: NetworkId, owner: Address) {
  await inService(async (tx) => {
    const lane = await lanes.lockLane(tx, network, owner, 0n)
    const placed = [0n, 1n].map((nonce) => ({
      ...{ nonce, terms: TERMS, signed: signTest(TERMS, nonce, owner) },
      ...{ feeCeiling: baseUnits(9n), paymentIds: [] },
    }))
    await transactions.storeTransactions(tx, lane, placed, NOW)
    await lanes.advanceLane(tx, lane, 2)
  })
}

const hashAt = (nonce: bigint, owner = address) => signTest(TERMS, nonce, owner).hash

/** All that is stored of a lane. */
const rowsOf = (network: NetworkId, owner: Address) =>
  database.store.query(
    'test_rows',
    `select l as lane, t as place, a as attempt, f as filling, fb as block
     from lanes l join chain_transactions t on t.network = l.network and t.lane_address = l.address
     join attempts a on a.chain_transaction_id = t.id
     left join gap_fillings f on f.chain_transaction_id = t.id
     left join followed_blocks fb on fb.network = l.network
     where l.network = $1 and l.address = $2 order by t.nonce, a.number`,
    [network, owner],
  )

const idsOf = async (network: NetworkId, owner: Address) => {
  const rows = await database.store.query<{ id: string }>(
    'test_ids',
    'select id from chain_transactions where network = $1 and lane_address = $2 order by nonce',
    [network, owner],
  )
  return rows.map(({ id }) => id)
}

/** Has the first place of a lane mined. */
async function mine(network: NetworkId, owner = address, feePaid = 3n) {
  const matched = await inService((tx) => places.matchHashes(tx, network, [hashAt(0n, owner)]))
  const outcome = {
    ...{ state: 'mined' as const, height: BLOCK.height, blockHash: BLOCK.hash },
    ...{ succeeded: true, feePaid: baseUnits(feePaid), transfers: [] },
  }
  const seen = matched.map((each) => ({ matched: each, outcome }))
  await inService((tx) => places.markMined(tx, seen))
}

const close = (network: NetworkId) =>
  inService((tx) => places.closeFinal(tx, network, BLOCK.height, 10))

describe('what is done to a lane of one network is done neither to that of another nor to its neighbour', () => {
  const DEEDS: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    'its next place moves on': async (tx) =>
      lanes.advanceLane(tx, await lanes.lockLane(tx, here, address, 0n), 3),
    'it is stopped': (tx) => lanes.freezeLane(tx, here, address, 'a test'),
    'what nodes said of its bytes is noted': () =>
      transactions.recordVerdicts(
        database.store,
        here,
        [{ hash: hashAt(0n), verdict: { kind: 'accepted' } }],
        NOW,
      ),
    'a place of it is mined': () => mine(here),
    'a place of it fills a gap': (tx) => noteFillings(tx, { network: here, address }, [0n]),
  }
  test.each(Object.entries(DEEDS))('%s', async (_, deed) => {
    const own = await rowsOf(here, address)
    const others = [await rowsOf(there, address), await rowsOf(here, neighbour)]
    await inService(deed)
    expect(await rowsOf(here, address)).not.toEqual(own)
    expect([await rowsOf(there, address), await rowsOf(here, neighbour)]).toEqual(others)
  })

  test('only the named places of it fill a gap', async () => {
    await inService((tx) => noteFillings(tx, { network: here, address }, [1n]))
    const [, second] = await idsOf(here, address)
    expect(
      await database.store.query(
        'test_fillings',
        'select chain_transaction_id as id from gap_fillings where network = $1',
        [here],
      ),
    ).toEqual([{ id: second }])
  })

  test('it is stopped for the first reason, whatever comes after', async () => {
    for (const reason of ['first', 'second']) {
      await inService((tx) => lanes.freezeLane(tx, here, address, reason))
    }
    const lane = await inService((tx) => lanes.lockLane(tx, here, address, 0n))
    expect(lane.frozenReason).toBe('first')
  })

  test('it is released', async () => {
    for (const [network, owner] of [
      [here, address],
      [there, address],
      [here, neighbour],
    ] as const) {
      await inService((tx) => lanes.freezeLane(tx, network, owner, 'a test'))
    }
    const others = [await rowsOf(there, address), await rowsOf(here, neighbour)]
    const chain = { usedUp: 0n, finalized: 0n, finalizedHeight: BLOCK.height }
    const released = await inService((tx) => unfreezeLane(tx, here, address, chain))
    expect(released).toEqual({ nextNonce: 2n })
    expect([await rowsOf(there, address), await rowsOf(here, neighbour)]).toEqual(others)
  })

  test('its blocks become final, its fillings are booked, and its blocks are undone', async () => {
    for (const network of [here, there]) {
      await inService((tx) => noteFillings(tx, { network, address }, [0n]))
      await mine(network)
    }
    const mined = await rowsOf(there, address)
    const take = () => inService((tx) => takeUnbooked(tx, here, [hashAt(0n)]))
    expect(await take()).toEqual([])
    expect((await close(here)).closed).toMatchObject([{ hash: hashAt(0n), feePaid: 3n }])
    expect(await close(here)).toEqual({ closed: [], isWhole: true })
    expect(await rowsOf(there, address)).toEqual(mined)
    await close(there)
    const final = await rowsOf(there, address)
    expect(await take()).toMatchObject([{ laneAddress: address, nonce: 0n, fee: 3n }])
    expect(await take()).toEqual([])
    expect(await rowsOf(there, address)).toEqual(final)
    await inService(async (tx) => {
      const cursor = await takeLease(tx, here, 'test', 60_000)
      if (cursor === undefined) throw new Error('no lease')
      const ancestor = { height: BLOCK.height - 1n, blockHash: 'block 4' }
      await rollBack(tx, cursor, ancestor, { hasNonces: true })
    })
    expect(await rowsOf(there, address)).toEqual(final)
  })
})

describe('a look at one network shows nothing of another', () => {
  test('neither the bytes to send nor those that hold others up or still live', async () => {
    const own = [...(await idsOf(here, address)), ...(await idsOf(here, neighbour))]
    const when = { notSentSinceMilliseconds: NOW, nowMilliseconds: NOW }
    const found = await inService(async (tx) => ({
      send: await transactions.attemptsToSend(tx, here, when, 100),
      fronts: await transactions.laneFronts(tx, here, 100),
      living: await livingAttempts(tx, here, 100),
    }))
    const ids = (of: readonly { readonly transactionId: string }[]) =>
      of.map(({ transactionId }) => transactionId).toSorted()
    expect(ids(found.send)).toEqual(own.toSorted())
    expect(ids(found.living)).toEqual(own.toSorted())
    expect(ids(found.fronts)).toEqual([own[0], own[2]].toSorted())
  })

  test('neither a hash nor a stopped lane nor what is under way', async () => {
    await inService((tx) => lanes.freezeLane(tx, there, address, 'a test'))
    const found = await inService(async (tx) => ({
      matched: await places.matchHashes(tx, here, [hashAt(0n)]),
      frozen: await lanes.frozenLanes(tx, here, [address, neighbour]),
      ceilings: await lanes.openCeilings(tx, await lanes.lockLane(tx, here, address, 0n)),
    }))
    expect(found.matched.map(({ transactionId }) => transactionId)).toEqual(
      (await idsOf(here, address)).slice(0, 1),
    )
    expect([...found.frozen]).toEqual([])
    expect(found.ceilings).toBe(18n)
  })
})

describe('a place that is mined', () => {
  let id = ''
  beforeEach(async () => {
    ;[id = ''] = await idsOf(here, address)
    await mine(here)
  })

  test('is not called dead, whatever was proven of its bytes before', async () => {
    const own = await rowsOf(here, address)
    expect(await inService((tx) => places.markDead(tx, id))).toBeUndefined()
    expect(await rowsOf(here, address)).toEqual(own)
  })

  test('stays so where what is undone stands above its block', async () => {
    const own = await rowsOf(here, address)
    const undone = await inService(async (tx) => {
      const cursor = await takeLease(tx, here, 'test', 60_000)
      if (cursor === undefined) throw new Error('no lease')
      return rollBack(tx, cursor, { ...BLOCK, blockHash: BLOCK.hash }, { hasNonces: true })
    })
    expect(undone).toEqual({ reopened: [], violated: [] })
    expect(await rowsOf(here, address)).toEqual(own)
  })

  test('gets no further bytes', async () => {
    const own = await rowsOf(here, address)
    const terms = JSON.parse('{"fee":"2"}') as Terms
    const next = { terms, signed: signTest(terms, 0n, address) }
    const attempt = { transactionId: id, number: 1 }
    const stored = await inService((tx) =>
      transactions.storeNextAttempt(tx, attempt, next, here, NOW),
    )
    expect(stored).toBe(false)
    expect(await rowsOf(here, address)).toEqual(own)
  })

  test('is not mined once more by what another look has found', async () => {
    const matched = {
      ...{ transactionId: id, hash: hashAt(0n), laneAddress: address, paymentIds: [] },
      ...{ requestId: null, hasPlaceBefore: false },
    }
    const outcome = {
      ...{ state: 'mined' as const, height: 6n, blockHash: 'block 6' },
      ...{ succeeded: false, feePaid: baseUnits(4n), transfers: [] },
    }
    const own = await rowsOf(here, address)
    await inService((tx) => places.markMined(tx, [{ matched, outcome }]))
    expect(await rowsOf(here, address)).toEqual(own)
  })

  test('is neither sent nor bumped nor rebuilt nor matched any more, and what it may cost is known', async () => {
    const when = { notSentSinceMilliseconds: NOW, nowMilliseconds: NOW }
    const found = await inService(async (tx) => ({
      send: await transactions.attemptsToSend(tx, here, when, 100),
      fronts: await transactions.laneFronts(tx, here, 100),
      living: await livingAttempts(tx, here, 100),
    }))
    for (const of of Object.values(found)) {
      expect(of.map(({ transactionId }) => transactionId)).not.toContain(id)
    }
    expect(await inService((tx) => places.matchHashes(tx, here, [hashAt(0n)]))).toEqual([])
    const lane = await inService((tx) => lanes.lockLane(tx, here, address, 0n))
    expect(await inService((tx) => lanes.openCeilings(tx, lane))).toBe(9n)
  })
})

test('what a place before another one cost is nothing as long as it is in no block', async () => {
  const payment: PaymentId = newId(systemRandom, 'pay')
  const { accountId } = await storeTestWallet(database.store)
  const [first = ''] = await idsOf(here, address)
  await write(
    database.store,
    'test_before',
    `with payment as (
       insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, sandbox, created_at)
       values ($2, $3, 'received', $4, 'native', 1, 18, 'a', 'b', true, now()) returning id)
     update chain_transactions t set before_payment = payment.id from payment where t.id = $1`,
    [first, payment, accountId, here],
  )
  const before = () => inService((tx) => places.feesBefore(tx, [payment]))
  expect(await before()).toEqual(new Map())
  await mine(here)
  expect(await before()).toEqual(new Map([[payment, 3n]]))
})
