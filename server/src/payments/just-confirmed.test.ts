import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { openDepositBook } from './deposits.ts'
import { openReceivedRecords } from './received.ts'
import { carryTestClaim, openTestClaim, PAYER, recordsOf, SELLER } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'
import { noWaits } from './test-waits.ts'
import type { JustConfirmed } from './wait.ts'

// Who waits for a payment is told what a round of the follower has just stored of it, and asks the database nothing.

const HASH = '0xfeed' as TransactionHash
const AMOUNT = baseUnits(5n)
const FOREVER = {
  atMilliseconds: Number.POSITIVE_INFINITY,
  over: new AbortController().signal,
}

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

function block(height: number, transactionHashes: readonly TransactionHash[] = []): Block {
  const [hash, parentHash] = [`b${height}`, `b${height - 1}`]
  return { height: BigInt(height), hash, parentHash, timeMilliseconds: 0, transactionHashes }
}

/** What those who wait are told by a round that reads the block with a transaction of ours, and one more. */
async function roundOver(config: ReturnType<typeof testNetwork>, rounds: Store = database.store) {
  const { store } = database
  const { network } = config
  const transfer = { asset: TOKEN, from: PAYER, to: SELLER, amount: AMOUNT, logIndex: 3 }
  const chain = scriptedChain(config, {
    blocks: async (from) =>
      [block(7), block(8, [HASH]), block(9)].filter(({ height }) => height >= from),
    outcomes: async () => [
      {
        ...{ state: 'mined', height: 8n, blockHash: 'b8', succeeded: true },
        ...{ feePaid: baseUnits(1n), transfers: [transfer] },
      },
    ],
  })
  const cursor = await store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 7n, hash: 'b7' })
    return takeLease(tx, network, 'one', 60_000)
  })
  if (cursor === undefined) throw new Error('no lease')
  const told: JustConfirmed[] = []
  let isOver = false
  const watched: Store = {
    ...rounds,
    inTransaction: async (scope, work) => {
      const done = await rounds.inTransaction(scope, work)
      isOver = true
      return done
    },
  }
  let holding = 0
  const hold = (ids: readonly PaymentId[]) => {
    expect(isOver).toBe(false)
    holding += ids.length
    return (confirmed: readonly JustConfirmed[]): void => {
      if (confirmed.length > 0) expect(isOver).toBe(true)
      holding -= ids.length
      told.push(...confirmed)
    }
  }
  const deps = {
    ...{ chain, store: watched, log: openLog('silent'), killPoint: () => undefined },
    book: openPaymentBook({ clock: systemClock, waits: { hold } }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
  }
  const round = followBlocks(deps, cursor)
  return { told, round, holding: () => holding }
}

async function carried(config: ReturnType<typeof testNetwork>) {
  const { store } = database
  const { accountId } = wallet
  const createdAt = systemClock.nowMilliseconds()
  const order = { config, accountId, createdAt }
  const paymentId = await openTestClaim(store, recordsOf(store, config), order)
  await carryTestClaim(store, config.network, wallet, { paymentId, hash: HASH })
  return { accountId, paymentId }
}

test.each([
  ['released', 0],
  ['released', 1],
  ['too young', 2],
])(
  'is told that it is %s where a seller waits for %i more blocks, as the database has it',
  async (says, releaseDepth) => {
    const config = { ...testNetwork(84_532), releaseDepth }
    const { store } = database
    const payment = await carried(config)
    const { told, round } = await roundOver(config)
    await round
    let looked: unknown
    const records = openReceivedRecords({
      clock: systemClock,
      networks: new Map([[config.network, config]]),
      inTransaction: () => Promise.reject(new Error('the database is asked')),
      isUnderWay: () => Promise.reject(new Error('the database is asked')),
      waits: {
        ...noWaits,
        look: async (_id, read) => {
          looked = await read(false, told[0])
          return undefined
        },
      },
    })
    await expect(records.wait(payment, FOREVER)).resolves.toBe(undefined)
    const stored = await store.inTransaction('service', (tx) =>
      recordsOf(store, config).state(tx, payment.accountId, payment.paymentId),
    )
    expect(stored).toMatchObject({ status: 'confirmed', released: says === 'released' })
    if (says === 'released') expect(looked).toEqual({ ...stored, hash: HASH })
    else expect(looked).toBe('under way')
  },
)

test('is told nothing of what was not committed', async () => {
  const config = testNetwork(84_532)
  const { store } = database
  await carried(config)
  const failing: Store = {
    ...store,
    inTransaction: (scope, work) =>
      store.inTransaction(scope, async (tx) => {
        await work(tx)
        throw new Error('gone before the end')
      }),
  }
  const { told, round, holding } = await roundOver(config, failing)
  await expect(round).rejects.toThrow('gone before the end')
  expect({ told, held: holding() }).toEqual({ told: [], held: 0 })
})
