import { afterAll, beforeAll, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { movePayments } from './move-payments.ts'
import { effectsOfOthers, insertPayments } from './store.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from './test-lane.ts'

const { network } = testNetwork(71_951)
const elsewhere = testNetwork(71_952).network
const HASH = '0xfeed' as TransactionHash

let database: TestDatabase
let wallet: Wallet
let sent: PaymentId
beforeAll(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
  sent = await seen(network, 3)
})
afterAll(() => database.close())

/** A payment of ours that a block of a network shows as an effect of HASH, or as one that failed there. */
async function seen(
  where: NetworkId,
  logIndex: number,
  status: 'confirmed' | 'failed' = 'confirmed',
): Promise<PaymentId> {
  const id = newId(systemRandom, 'pay')
  const now = systemClock.nowMilliseconds()
  const failure = status === 'failed' ? { reason: 'no_effect' as const, message: 'a test' } : null
  const place = { transactionHash: HASH, blockHeight: 5n, blockHash: 'block 5', logIndex }
  await database.store.inTransaction('service', async (tx) => {
    await insertPayments(tx, [
      {
        ...{ id, accountId: wallet.accountId, type: 'sent', walletId: wallet.id, network: where },
        ...{ asset: TOKEN, amount: baseUnits(5n), decimals: 6, sender: wallet.address },
        ...{ recipient: RECIPIENT, resource: null, metadataText: null, priorityFee: null },
        ...{ feeCeiling: baseUnits(0n), commitment: null, status: 'pending', sandbox: true },
        ...{ finalityViolated: false, transactionHash: null, blockHeight: null, logIndex: null },
        ...{ feePaid: null, failure: null, createdAtMilliseconds: now },
        ...{ confirmedAtMilliseconds: null, settledAtMilliseconds: null },
      },
    ])
    const change = { paymentId: id, ...place, feePaid: baseUnits(0n), failure }
    await movePayments(tx, status, [change], now)
  })
  return id
}

const isOfAnother = async (
  paymentId: PaymentId,
  logIndex: number,
  where = network,
  hash = HASH,
) => {
  const found = [{ paymentId, hash, logIndex }]
  const others = await database.store.inTransaction('service', (tx) =>
    effectsOfOthers(tx, where, found),
  )
  return others.has(paymentId)
}

test('the effect that a payment of ours names is no other payment’s', async () => {
  expect(await isOfAnother(newId(systemRandom, 'pay'), 3)).toBe(true)
})

test('it is not when both are final either', async () => {
  const final = await seen(network, 8)
  await write(
    database.store,
    'test_final',
    `update payments set status = 'settled' where id = $1`,
    [final],
  )
  expect(await isOfAnother(newId(systemRandom, 'pay'), 8)).toBe(true)
})

test('a payment is not another one to itself, however often its effect is found', async () => {
  expect(await isOfAnother(sent, 3)).toBe(false)
})

test('another effect of the same transaction is free', async () => {
  expect(await isOfAnother(newId(systemRandom, 'pay'), 4)).toBe(false)
})

test('the same place in another transaction is free', async () => {
  const other = '0xbeef' as TransactionHash
  expect(await isOfAnother(newId(systemRandom, 'pay'), 3, network, other)).toBe(false)
})

test('a payment that failed has no effect', async () => {
  await seen(network, 6, 'failed')
  expect(await isOfAnother(newId(systemRandom, 'pay'), 6)).toBe(false)
})

test('a transaction of the same hash on another network takes nothing from this one', async () => {
  expect(await isOfAnother(newId(systemRandom, 'pay'), 3, elsewhere)).toBe(false)
})
