import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Block, Chain, TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import { systemRandom } from '../kernel/random.ts'
import { startDriver } from '../sender/driver.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { notifyChanged, openListener } from '../store/listen.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { openDepositBook } from './deposits.ts'
import { openReceivedRecords } from './received.ts'
import { carryTestClaim, openTestClaim, PAYER, recordsOf, SELLER } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'
import { noWaits } from './test-waits.ts'
import { openWaits } from './wait.ts'
import type { JustConfirmed, Waits } from './wait.ts'

// Who waits for a payment is told what a round of the follower has just stored of it, and asks the database nothing.

const HASH = '0xfeed' as TransactionHash
const AMOUNT = baseUnits(5n)
const NEVER = systemClock.nowMilliseconds() + 3_600_000
const FOREVER = {
  atMilliseconds: NEVER,
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

/** Two blocks, and in the first of them a transaction of ours that has paid. */
function chainOf(config: ReturnType<typeof testNetwork>): Chain {
  const transfer = { asset: TOKEN, from: PAYER, to: SELLER, amount: AMOUNT, logIndex: 3 }
  return scriptedChain(config, {
    head: async () => ({ height: 9n, hash: 'b9', finalizedHeight: 7n }),
    blocks: async (from) =>
      [block(7), block(8, [HASH]), block(9)].filter(({ height }) => height >= from),
    outcomes: async () => [
      {
        ...{ state: 'mined', height: 8n, blockHash: 'b8', succeeded: true },
        ...{ feePaid: baseUnits(1n), transfers: [transfer] },
      },
    ],
    lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 0n }),
  })
}

interface Round {
  /** Where the round is stored. */
  readonly rounds?: Store
  /** Whether the lease still holds when that has ended. */
  readonly isLeased?: boolean
  /** Left out: what is told is noted. */
  readonly waits?: Pick<Waits, 'hold'>
}

/** What those who wait are told by a round that reads the block with a transaction of ours, and one more. */
async function roundOver(
  config: ReturnType<typeof testNetwork>,
  { rounds = database.store, isLeased = true, waits }: Round = {},
) {
  const { store } = database
  const { network } = config
  const chain = chainOf(config)
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
    book: openPaymentBook({ clock: systemClock, waits: waits ?? { hold } }),
    isLeased: () => isLeased,
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

test.each([
  [
    'not committed',
    () => ({
      rounds: {
        ...database.store,
        inTransaction: (scope, work) =>
          database.store.inTransaction(scope, async (tx) => {
            await work(tx)
            throw new Error('gone')
          }),
      } satisfies Store,
    }),
  ],
  [
    'committed, for all that anybody knows',
    () => ({
      rounds: {
        ...database.store,
        inTransaction: async (scope, work) => {
          await database.store.inTransaction(scope, work)
          throw new Error('gone')
        },
      } satisfies Store,
    }),
  ],
])('is told nothing of what was %s', async (_, round) => {
  const config = testNetwork(84_532)
  await carried(config)
  const seen = await roundOver(config, round())
  await expect(seen.round).rejects.toThrow('gone')
  expect({ told: seen.told, held: seen.holding() }).toEqual({ told: [], held: 0 })
})

test('is told nothing by an instance that heard of its commit only after its lease', async () => {
  const config = testNetwork(84_532)
  await carried(config)
  const seen = await roundOver(config, { isLeased: false })
  await seen.round
  expect({ told: seen.told, held: seen.holding() }).toEqual({ told: [], held: 0 })
})

test('hears of a round before it has read anything, though the notification of the database comes first', async () => {
  const config = testNetwork(84_532)
  const { store, url } = database
  const payment = await carried(config)
  const listener = openListener({ url, clock: systemClock, log: openLog('silent') })
  try {
    let isNotified = false
    listener.onChanged((name) => {
      isNotified ||= name === payment.paymentId
    })
    const heard = new Set<string>()
    listener.onChanged((name) => void heard.add(name))
    await until(
      'the listener hears',
      async () => {
        await store.inTransaction('service', (tx) => notifyChanged(tx, ['anything']))
        return heard.has('anything')
      },
      { seconds: 30 },
    )
    const waits = openWaits({ store, listener, clock: systemClock })
    let reads = 0
    const records = openReceivedRecords({
      ...{ clock: systemClock, waits, networks: new Map([[config.network, config]]) },
      inTransaction: () => Promise.reject(new Error('the database is asked')),
      isUnderWay: async () => {
        reads += 1
        return true
      },
    })
    const waiting = records.wait(payment, FOREVER)
    await until('the call waits', () => reads === 1, { seconds: 30 })
    const late: Store = {
      ...store,
      inTransaction: async (scope, work) => {
        const done = await store.inTransaction(scope, work)
        await until('the notification is here', () => isNotified, { seconds: 30 })
        return done
      },
    }
    const seen = await roundOver(config, { rounds: late, waits })
    await seen.round
    expect(await waiting).toMatchObject({ status: 'confirmed', released: true, hash: HASH })
  } finally {
    await listener.stop()
  }
})

test.each([
  ['longer than its lease', 60_000, 0],
  ['less than its lease', 1, 1],
])('is told nothing where the process stood still for %s', async (_, milliseconds, count) => {
  const config = testNetwork(84_532)
  const { store } = database
  await carried(config)
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, config.network, { height: 7n, hash: 'b7' }),
  )
  let [behind, isHeld] = [0, false]
  const told: JustConfirmed[] = []
  const driver = startDriver({
    ...{ chain: chainOf(config), log: openLog('silent'), killPoint: () => undefined },
    store: {
      ...store,
      inTransaction: async (scope, work) => {
        const done = await store.inTransaction(scope, work)
        if (isHeld) behind = milliseconds
        return done
      },
    },
    clock: { ...systemClock, nowMilliseconds: () => systemClock.nowMilliseconds() + behind },
    book: openPaymentBook({
      clock: systemClock,
      waits: {
        hold: () => {
          isHeld = true
          return (confirmed) => void told.push(...confirmed)
        },
      },
    }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    broadcaster: { broadcast: async () => [] },
    signerOf: async () => undefined,
    instance: 'test',
  })
  try {
    await until('the block is read', () => isHeld && behind > 0 && driver.state().height === 9n, {
      seconds: 30,
    })
    expect(told).toHaveLength(count)
  } finally {
    await driver.stop()
  }
})
