import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Outcome, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { joinClaim } from '../facilitator/join.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import type { Cursor } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { openDepositBook } from './deposits.ts'
import { carryTestClaim, openTestClaim, PAYER, recordsOf, SELLER } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'

const HASH = '0xfeed' as TransactionHash
const AMOUNT = baseUnits(5n)
const DEPTH = 2
const config = { ...testNetwork(84_533), releaseDepth: DEPTH }
const { network } = config

let database: TestDatabase
let wallet: Wallet
let paymentId: PaymentId
beforeEach(async () => {
  database = await openTestDatabase()
  const { store } = database
  wallet = await makeWallet(store)
  const { accountId } = wallet
  const order = { config, accountId, createdAt: systemClock.nowMilliseconds() }
  paymentId = await openTestClaim(store, recordsOf(store, config), order)
  await carryTestClaim(store, network, wallet, { paymentId, hash: HASH })
})
afterEach(() => database.close())

/** A chain whose forks a test writes down: where our attempt stands, and whether it did anything there. */
async function openChain() {
  const { store } = database
  let fork = 'a'
  let top = 7
  let mined = { height: 8n, succeeded: false }
  const block = (height: number): Block => ({
    ...{
      height: BigInt(height),
      hash: height > 7 ? `${fork}${height}` : 'a7',
      timeMilliseconds: 0,
    },
    parentHash: height > 8 ? `${fork}${height - 1}` : `a${height - 1}`,
    transactionHashes: BigInt(height) === mined.height ? [HASH] : [],
  })
  const transfer = { asset: TOKEN, from: PAYER, to: SELLER, amount: AMOUNT, logIndex: 3 }
  const chain = scriptedChain(config, {
    blocks: async (from) =>
      Array.from({ length: top - 6 }, (_, index) => block(index + 7)).filter(
        ({ height }) => height >= from,
      ),
    outcomes: async (): Promise<readonly Outcome[]> => [
      {
        ...{ ...mined, state: 'mined', feePaid: baseUnits(1n) },
        blockHash: `${fork}${mined.height}`,
        transfers: mined.succeeded ? [transfer] : [],
      },
    ],
  })
  const deps = {
    ...{ chain, store, log: openLog('silent'), killPoint: () => undefined },
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
  }
  const taken = await store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 7n, hash: 'a7' })
    return takeLease(tx, network, 'one', 60_000)
  })
  if (taken === undefined) throw new Error('no lease')
  let cursor: Cursor = taken
  const follow = async () => {
    let before: string
    do {
      before = cursor.blockHash
      cursor = await followBlocks(deps, cursor)
    } while (cursor.blockHash !== before)
  }
  return {
    mineTo: async (height: number) => {
      top = height
      await follow()
    },
    /** Another branch takes over, as high, and has the attempt where it pays. */
    replaceBy: async (name: string, height: number) => {
      fork = name
      top = height
      mined = { height: BigInt(height), succeeded: true }
      await follow()
    },
  }
}

/** What a seller is told that does not wait, and the record. */
async function told() {
  const { store } = database
  const { accountId } = wallet
  const records = recordsOf(store, config)
  const order = {
    ...{ accountId, waitUntilMilliseconds: 0 },
    over: new AbortController().signal,
  }
  const claim = { paymentId, answeredAtMilliseconds: null }
  const { kind } = await joinClaim({ store, records, clock: systemClock }, order, claim)
  const state = await store.inTransaction('service', (tx) =>
    records.state(tx, accountId, paymentId),
  )
  return [kind, state?.status]
}

test('a seller hears that an attempt came to nothing where it would have heard that it paid, and not before', async () => {
  const chain = await openChain()
  for (const height of [8, 9]) {
    await chain.mineTo(height)
    expect(await told()).toEqual(['pending', 'pending'])
  }
  await chain.mineTo(8 + DEPTH)
  expect(await told()).toEqual(['reverted', 'pending'])
})

test('an attempt that came to nothing in a block that then leaves the chain may pay in another: nobody was told "no"', async () => {
  const chain = await openChain()
  await chain.mineTo(9)
  expect(await told()).toEqual(['pending', 'pending'])
  await chain.replaceBy('b', 10)
  await chain.mineTo(10 + DEPTH)
  expect(await told()).toEqual(['settled', 'confirmed'])
})
