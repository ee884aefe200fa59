import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Arrival, Block, Chain, Outcome, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { findToLookAt } from '../doctor/look-at.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openDepositBook } from '../payments/deposits.ts'
import { makeWallet, openTestLane } from '../payments/test-lane.ts'
import { openModelChain } from '../payments/test-model-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { deadPlaces } from './expiry-store.ts'
import { closeFinalBlocks } from './finalize.ts'
import { followBlocks } from './follow.ts'
import { readUntold } from './read-untold.ts'
import type { TradeBook } from './trade-book.ts'

const STRANGER = '0x00000000000000000000000000000000000000AA' as Address
const AMOUNT = 100n

let database: TestDatabase
let other: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  other = await makeWallet(database.store)
})
afterEach(() => database.close())

/** Two payments of one wallet in one block; of the first nobody tells what it did, and it brought something to another wallet. */
async function openScene() {
  const { store } = database
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, 5_000_001)
  let cursor = await lane.follow(0)
  const order = { asset: 'native', amount: AMOUNT, feeCeiling: 10n, at: model.tip() }
  const sent = await lane.send([lane.prepare(order), lane.prepare(order)])
  const [first, second] = sent.map((each) => {
    if (each.kind !== 'committed') throw new Error('not committed')
    return { id: each.payment.id, hash: each.signed.hash }
  })
  if (first === undefined || second === undefined) throw new Error('nothing was sent')
  const says = {
    untold: true,
    bothUntold: false,
    isVenueAway: false,
    fork: false,
    isAway: false,
    refused: '',
    isMalformed: false,
  }
  const outcomeOf = (hash: TransactionHash): Outcome => {
    const outcome = model.outcome(hash)
    if (outcome.state !== 'mined') return outcome
    if (hash !== first.hash && !says.bothUntold) return outcome
    const { height, blockHash } = outcome
    if (says.untold) return { state: 'untold', height, blockHash }
    return says.fork ? { ...outcome, blockHash: 'of a branch that was left' } : outcome
  }
  const deps = {
    chain: {
      ...lane.chain,
      renewal: {
        kind: 'lifetime' as const,
        lifetimeOf: () => 1_000_000n,
        lookBack: async () => [],
        deadFrom: async () => [],
      },
      blocks: async (from: bigint, count: number) => model.blocks(from, count, model.tip().height),
      outcomes: async (hashes: readonly TransactionHash[], followed?: readonly Block[]) => {
        if (says.isAway) throw new NodeFailure('nobody answers')
        const isShown = followed?.some((each) => each.transactionHashes.includes(first.hash))
        if (says.isMalformed && isShown !== true) throw new NodeFailure('it cannot be read')
        if (hashes.some((hash) => hash === says.refused)) throw new NodeFailure('not for that one')
        return hashes.map(outcomeOf)
      },
      arrivals: async (blocks: readonly Block[], ours: Parameters<Chain['arrivals']>[1]) => {
        await ours([other.address])
        return blocks.flatMap(({ height, hash: blockHash, transactionHashes }): Arrival[] => {
          if (!transactionHashes.includes(first.hash)) return []
          const where = { transactionHash: first.hash, height, blockHash, effectIndex: 7 }
          const what = { asset: 'native', from: STRANGER, to: other.address }
          return [{ ...where, ...what, amount: baseUnits(5n) }]
        })
      },
    },
    store,
    trades: {
      unreadable: async (...[, , ids]: Parameters<TradeBook['unreadable']>) =>
        new Set(says.isVenueAway ? ids.filter((id) => id === first.id) : []),
    },
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    log: openLog('silent'),
    killPoint: () => undefined,
  }
  const pass = () => model.mine({ deposits: [], take: 0, feePercent: 50, reverts: false })
  model.mine({ deposits: [], take: 2, feePercent: 50, reverts: false })
  pass()
  return {
    ...{ lane, first, second, says, pass },
    follow: async () => {
      cursor = await followBlocks(deps, cursor)
      return cursor.height === model.tip().height
    },
    ask: () => readUntold(deps, cursor),
    finalize: async () => {
      const { height, blockHash: hash } = cursor
      cursor = await closeFinalBlocks(deps, cursor, [{ height, hash, finalizedHeight: height }])
    },
  }
}

const statuses = async (...ids: readonly string[]) => {
  const rows = await database.store.inTransaction('service', (tx) =>
    tx.query<{ id: string; status: string }>('test_statuses', 'select id, status from payments'),
  )
  return ids.map((id) => rows.find((row) => row.id === id)?.status)
}
const deposits = () =>
  database.store.inTransaction('service', (tx) =>
    tx.query('test_deposits', `select amount from payments where type = 'received'`),
  )
const named = (nowMilliseconds: number) =>
  findToLookAt(database.store, { ...systemClock, nowMilliseconds: () => nowMilliseconds })
const later = systemClock.nowMilliseconds() + limits.foundUnseenSeconds * 1000

test('what no node tells stops itself alone: it stays pending, is never taken for dead, and a person hears of it', async () => {
  const { lane, first, second, follow, finalize } = await openScene()
  expect(await follow()).toBe(true)
  await finalize()
  expect(await statuses(first.id, second.id)).toEqual(['pending', 'settled'])
  expect(await deposits()).toEqual([])
  expect(await named(later)).toMatchObject([
    {
      network: lane.chain.config.network,
      hash: first.hash,
      nodes: [expect.stringContaining('untold')],
    },
  ])
  const dead = await database.store.inTransaction('service', async (tx) => {
    const rows = await tx.query<{ id: string }>('test_open', `select id from chain_transactions`)
    return deadPlaces(
      tx,
      rows.map(({ id }) => id),
      { milliseconds: 0, blocks: 0 },
    )
  })
  expect(dead.size).toBe(0)
})

test('it is taken in with all that it brought once a node tells it, and once only', async () => {
  const { first, second, says, pass, follow, finalize, ask } = await openScene()
  await follow()
  await finalize()
  await ask()
  expect(await statuses(first.id)).toEqual(['pending'])
  Object.assign(says, { untold: false, isAway: true })
  await ask()
  expect(await statuses(first.id)).toEqual(['pending'])
  says.isAway = false
  await ask()
  await ask()
  expect(await statuses(first.id, second.id)).toEqual(['confirmed', 'settled'])
  expect(await deposits()).toEqual([{ amount: '5' }])
  expect(await named(later)).toEqual([])
  pass()
  await follow()
  await finalize()
  expect(await statuses(first.id)).toEqual(['settled'])
  expect(await database.store.inTransaction('service', findInBooks)).toEqual([])
})

test('one of which nothing can be read is told by the block that holds it, and keeps nobody from following', async () => {
  const { first, second, says, follow, finalize, ask } = await openScene()
  says.isMalformed = true
  expect(await follow()).toBe(true)
  await finalize()
  await ask()
  expect(await statuses(first.id, second.id)).toEqual(['pending', 'settled'])
  Object.assign(says, { untold: false, isMalformed: false })
  await ask()
  expect(await statuses(first.id)).toEqual(['confirmed'])
})

test('a node on a branch that was left behind tells nothing of it', async () => {
  const { first, says, follow, ask } = await openScene()
  await follow()
  Object.assign(says, { untold: false, fork: true })
  await ask()
  expect(await statuses(first.id)).toEqual(['pending'])
  expect(await deposits()).toEqual([])
})

test('one that no node answers for does not keep others from being taken in', async () => {
  const { first, second, says, follow, ask } = await openScene()
  says.bothUntold = true
  await follow()
  expect(await statuses(first.id, second.id)).toEqual(['pending', 'pending'])
  Object.assign(says, { untold: false, refused: first.hash })
  await ask()
  expect(await statuses(first.id, second.id)).toEqual(['pending', 'confirmed'])
  says.refused = ''
  await ask()
  expect(await statuses(first.id)).toEqual(['confirmed'])
})

test('a trade of a venue that this instance has not is pending until the venue is back', async () => {
  const { first, second, says, follow, finalize, ask } = await openScene()
  Object.assign(says, { untold: false, isVenueAway: true })
  await follow()
  await finalize()
  await ask()
  expect(await statuses(first.id, second.id)).toEqual(['pending', 'settled'])
  says.isVenueAway = false
  await ask()
  expect(await statuses(first.id)).toEqual(['confirmed'])
  expect(await deposits()).toEqual([{ amount: '5' }])
})
