import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { OUTBOX_FACTS } from '../events/test-facts.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactAuthorization, ExactPayments, ForeignSettlement } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { findPaidElsewhere } from '../facilitator/paid-elsewhere.ts'
import type { BeginDeps, Beginning } from '../facilitator/beginning.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { until } from '../kernel/until.ts'
import type { Deposit, DepositBook } from '../sender/deposit-book.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openDepositBook } from './deposits.ts'
import { openTestClaim, PAYER, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'
import { WAITS_HERE } from '../store/test-waits.ts'

const config = testNetwork(84_532)
const { network } = config
const HASH = '0xfeed' as TransactionHash

let database: TestDatabase
let wallet: Wallet
let records: ReceivedRecords
let book: DepositBook
let now: number
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
  records = recordsOf(database.store, config)
  now = systemClock.nowMilliseconds()
  const clock = { ...systemClock, nowMilliseconds: () => now }
  book = openDepositBook({ clock, random: systemRandom })
})
afterEach(() => database.close())

const within = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

const openClaim = () =>
  openTestClaim(database.store, records, {
    ...{ config, accountId: wallet.accountId, createdAt: now, payTo: wallet.address },
  })

/** A transfer to the wallet, as the follower reads it in a block. */
const transfer = (fork: string, effectIndex: number): Deposit => ({
  ...{ transactionHash: HASH, height: 101n, blockHash: `${fork}101`, asset: TOKEN },
  ...{ from: PAYER, to: wallet.address, amount: baseUnits(5n), effectIndex },
  ...{ walletId: wallet.id, accountId: wallet.accountId },
})

/** Transfers in one transaction. */
const arrive = (fork: string, ...logIndexes: readonly number[]) => {
  const transfers = logIndexes.map((logIndex) => transfer(fork, logIndex))
  return within((tx) => book.arrived(tx, config, transfers))
}

/** The claim is found to be what a transfer paid. */
const find = (paymentId: PaymentId, fork: string, logIndex: number, isFinal = false) => {
  const place: ForeignSettlement = {
    ...{ hash: HASH, height: 101n, blockHash: `${fork}101`, logIndex },
  }
  const { accountId } = wallet
  return within((tx) => records.paidElsewhere(tx, { accountId, paymentId }, place, isFinal))
}

/** Every record as `claim status@log index` or `deposit ...`. */
async function recordsNow(): Promise<readonly string[]> {
  const rows = await database.store.query<{ told: string }>(
    'test_records',
    `select case when occurrence is null then 'claim ' else 'deposit ' end || status || coalesce('@' || log_index, '') as told
     from payments order by told`,
  )
  return rows.map(({ told }) => told)
}

const effects = () =>
  database.store.query<{ payment_id: PaymentId }>('test_effects', 'select payment_id from effects')

test('a transfer that a claim turns out to be has one record, whichever came first', async () => {
  const paymentId = await openClaim()
  await arrive('a', 4)
  expect(await recordsNow()).toEqual(['claim pending', 'deposit confirmed@4'])
  await find(paymentId, 'a', 4)
  expect(await recordsNow()).toEqual(['claim confirmed@4', 'deposit pending'])
  // Another look finds the same.
  await find(paymentId, 'a', 4)
  await find(paymentId, 'a', 4, true)
  expect(await recordsNow()).toEqual(['claim settled@4', 'deposit failed'])
  expect(await effects()).toEqual([{ payment_id: paymentId }])
  const told = await database.store.query<{ status: string }>(
    'test_told',
    `select data ->> 'status' as status from ${OUTBOX_FACTS}
     where type = 'payment' and resource_id <> $1 order by id, nth`,
    [paymentId],
  )
  expect(told.map(({ status }) => status)).toEqual(['confirmed', 'pending', 'failed'])
  const [failed] = await database.store.query<{ message: string }>(
    'test_failure',
    `select failure ->> 'message' as message from payments where status = 'failed'`,
  )
  expect(failed?.message).toContain(paymentId)
})

test('and the claim that is found first is the record of what arrives then', async () => {
  const paymentId = await openClaim()
  await find(paymentId, 'a', 4)
  await arrive('a', 4)
  expect(await recordsNow()).toEqual(['claim confirmed@4'])
})

test.each(['claim', 'block'])(
  'a reorganisation undoes both, and one record comes back when the %s is first',
  async (first) => {
    const paymentId = await openClaim()
    await arrive('a', 4)
    await find(paymentId, 'a', 4)
    await within((tx) => book.undone(tx, network, 100n))
    if (first === 'claim') {
      await within((tx) => records.unseen(tx, [paymentId]))
      expect(await recordsNow()).toEqual(['claim pending', 'deposit pending'])
      await arrive('b', 2)
      expect(await recordsNow()).toEqual(['claim pending', 'deposit confirmed@2'])
    } else {
      await arrive('b', 2)
    }
    await find(paymentId, 'b', 2)
    expect(await recordsNow()).toEqual(['claim confirmed@2', 'deposit pending'])
    await find(paymentId, 'b', 2, true)
    expect(await recordsNow()).toEqual(['claim settled@2', 'deposit failed'])
  },
)

test('of equal transfers in one transaction each has its record, also when they change places in another block', async () => {
  const paymentId = await openClaim()
  await arrive('a', 4, 9)
  await find(paymentId, 'a', 4)
  expect(await recordsNow()).toEqual([
    'claim confirmed@4',
    'deposit confirmed@9',
    'deposit pending',
  ])
  await within((tx) => book.undone(tx, network, 100n))
  await arrive('b', 1, 6)
  // It is the other one there.
  await find(paymentId, 'b', 6)
  const live = (await recordsNow()).filter((told) => told.includes('confirmed'))
  expect(live).toHaveLength(2)
})

test('a block and a claim that are stored at the same moment make one record', async () => {
  await within((tx) => beginFollowing(tx, network, { height: 100n, hash: 'a100' }))
  const cursor = await within((tx) => takeLease(tx, network, 'one', 60_000))
  if (cursor === undefined) throw new Error('no lease')
  const paymentId = await openClaim()
  const [stored, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // The instance that looks for the payment is slow to commit what it found.
  const slow: ReceivedRecords = {
    ...records,
    paidElsewhere: async (...asked) => {
      const word = await records.paidElsewhere(...asked)
      stored.resolve()
      await goOn.promise
      return word
    },
  }
  const finding = findPaidElsewhere(...beginningOf(paymentId, slow))
  await stored.promise
  let isRead = false
  const reading = within(async (tx) => {
    const block = { height: 101n, hash: 'a101', parentHash: 'a100' }
    await storeBlocks(tx, cursor, [{ ...block, timeMilliseconds: 0, transactionHashes: [] }])
    await book.arrived(tx, config, [transfer('a', 4)])
  }).then(() => {
    isRead = true
  })
  await until('the block is stored, or waits', async () => isRead || (await waiting()).length > 0, {
    seconds: 60,
  })
  goOn.resolve()
  await Promise.all([finding, reading])
  expect(await recordsNow()).toEqual(['claim confirmed@4'])
})

const waiting = () => database.store.query('test_waiting', `select 1 from ${WAITS_HERE}`)

/** The search for what paid a claim, which finds the transfer at 4. */
function beginningOf(paymentId: PaymentId, by: ReceivedRecords): [BeginDeps, Beginning] {
  const place = { hash: HASH, height: 101n, blockHash: 'a101', logIndex: 4 }
  const exact: Partial<ExactPayments> = {
    findForeign: async () => ({ kind: 'paid', settlement: place }),
  }
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const authorization: ExactAuthorization = {
    ...{ proofKey: proofKey(paymentId), payer: PAYER, asset, payTo: wallet.address },
    ...{ amount: baseUnits(5n), validBeforeSeconds: 9n, feePayer: null, stored: {} },
  }
  const { store } = database
  const deps: Partial<BeginDeps> = { store, records: by, clock: systemClock }
  const intake = {
    ...{ chain: scriptedChain(config, {}), exact: exact as ExactPayments, authorization },
    ...{ resource: null, payment: { x402Version: 2 as const } },
  }
  const { accountId } = wallet
  const digest = new Uint8Array(32)
  return [deps as BeginDeps, { accountId, paymentId, digest, isNew: false, intake }]
}

test('a final deposit waits for the word on a claim that it may be the payment of, and not for ever', async () => {
  const paymentId = await openClaim()
  await arrive('a', 4)
  const close = () => within((tx) => book.final(tx, network, 101n, 10))
  await close()
  expect(await recordsNow()).toEqual(['claim pending', 'deposit confirmed@4'])
  // It is looked at now, however long it was to be left alone.
  const due = await database.store.query(
    'test_due',
    `select 1 from settlement_claims where look_at is null`,
  )
  expect(due).toHaveLength(1)
  now += limits.heldDepositSeconds * 1000 - 1
  await close()
  expect(await recordsNow()).toEqual(['claim pending', 'deposit confirmed@4'])
  now += 1
  await close()
  expect(await recordsNow()).toEqual(['claim pending', 'deposit settled@4'])
  expect(await effects()).not.toEqual([{ payment_id: paymentId }])
})

test('nor for one that was held before a clock was set back', async () => {
  await openClaim()
  await arrive('a', 4)
  const close = () => within((tx) => book.final(tx, network, 101n, 10))
  await close()
  now -= limits.clockAheadSeconds * 1000
  await close()
  expect(await recordsNow()).toEqual(['claim pending', 'deposit confirmed@4'])
  now -= 1
  await close()
  expect(await recordsNow()).toEqual(['claim pending', 'deposit settled@4'])
})

test('nor does one wait once the claim is over', async () => {
  const paymentId = await openClaim()
  await arrive('a', 4)
  await within((tx) => book.final(tx, network, 101n, 10))
  await write(database.store, 'test_over', `update payments set status = 'expired' where id = $1`, [
    paymentId,
  ])
  await within((tx) => book.final(tx, network, 101n, 10))
  expect(await recordsNow()).toEqual(['claim expired', 'deposit settled@4'])
})

test('many deposits of many open claims wait a bounded number at a time, and none goes on before its turn', async () => {
  const count = limits.depositsPerStatementMax + 100
  await openClaim()
  await arrive('a', 4)
  // More of both, alike to the last field but for what tells them apart.
  const copies = (what: string, of: string, more: string) =>
    write(
      database.store,
      `test_${what}`,
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox, created_at,
         transaction_hash, block_height, block_hash, log_index, occurrence)
       select 'pay_' || translate(substr(md5($1 || n), 1, 22), '0', 'z'), account_id, type, wallet_id, network, asset, amount, decimals,
         sender, recipient, status, sandbox, created_at, ${more}
       from payments, generate_series(1, $2::integer) n where occurrence is ${of}`,
      [what, count],
    )
  await copies('claims', 'null', 'null, null, null, null, null')
  await copies(
    'deposits',
    'not null',
    `transaction_hash || n, block_height, block_hash, log_index, occurrence`,
  )
  const close = () => within((tx) => book.final(tx, network, 101n, 1_000))
  const waiting = async () => {
    const rows = await database.store.query(
      'test_waiting',
      `select from payments where held_until is not null`,
    )
    return rows.length
  }
  expect(await close()).toBe(0)
  expect(await waiting()).toBe(limits.depositsPerStatementMax)
  expect(await close()).toBe(0)
  expect(await waiting()).toBe(count + 1)
  now += limits.heldDepositSeconds * 1000
  expect(await close()).toBe(count + 1)
})
