import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, TransactionHash } from '../chains/chain.ts'
import type { Sighting } from '../chains/self-custody.ts'
import { proofKey } from '../chains/exact.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { findPayment } from '../payments/store.ts'
import { EVM, openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPurchaseBook } from './book.ts'
import { insertPurchase } from './store.ts'
import { write } from '../store/test-write.ts'

const KEY = proofKey('permit2:payer:7')

let database: TestDatabase
let reading: Reading
beforeAll(async () => {
  database = await openTestDatabase()
  reading = await openReading(database.store)
})
afterAll(async () => {
  await reading.close()
  await database.close()
})

/** A purchase that was signed; with a fee payer when its bytes are one transaction. */
async function aPurchase(feePayer: typeof EVM | null): Promise<PaymentId> {
  const { store } = database
  const accountId = reading.accounts.alice
  const walletId = newId(systemRandom, 'wal')
  await write(
    store,
    'test_wallet',
    `insert into wallets (id, account_id, family, address, sealed_data_key, sealed_private_key)
     values ($1, $2, 'evm', $1, '', '')`,
    [walletId, accountId],
  )
  const payment = reading.payment({ walletId })
  await reading.store([payment])
  const purchase = {
    ...{ paymentId: payment.id, accountId, walletId, network: payment.network, looks: 0 },
    ...{ url: 'https://shop.example/report', requestDigest: new Uint8Array(32) },
    stored: { from: walletId },
    ...{ proofKey: proofKey(`${KEY}${payment.id}`), validBeforeSeconds: 1n, feePayer },
    ...{ lastValidBlockHeight: null, sinceHeight: 1n, headerName: 'X-PAYMENT' as const },
    ...{ header: 'proof', askingUntilMilliseconds: null, shown: 0, answer: null },
    isDelivered: false,
  }
  await store.inTransaction(accountId, (tx) => insertPurchase(tx, purchase, 0))
  return payment.id
}

/** Shows the book a transaction that names the payment. */
async function sight(
  paymentId: PaymentId,
  nonce: bigint | null,
  change: Partial<Sighting> = {},
): Promise<string | undefined> {
  const { store } = database
  const accountId = reading.accounts.alice
  const sighting: Sighting = {
    ...{ transactionHash: paymentId as string as TransactionHash, height: 9n, blockHash: 'a9' },
    ...{ succeeded: true, sender: EVM, nonce, commitments: [], transfers: [], isPlain: false },
    ...{ feePaid: baseUnits(0n), proofKey: proofKey(`${KEY}${paymentId}`), ...change },
  }
  const book = openPurchaseBook({ clock: systemClock, log: openLog('silent') })
  return store.inTransaction('service', async (tx) => {
    const payment = await findPayment(tx, accountId, paymentId)
    if (payment === undefined) throw new Error('no payment')
    await beginFollowing(tx, payment.network, { height: 9n, hash: 'a9' })
    await book.sighted(tx, payment.network, [sighting])
    return (await findPayment(tx, accountId, paymentId))?.status
  })
}

test('a call that names an authorization proves nothing by that: it may have failed, and anybody may send one', async () => {
  expect(await sight(await aPurchase(null), 5n)).toBe('pending')
})

test('bytes of which nothing is left to choose have moved the money when they are in a block', async () => {
  expect(await sight(await aPurchase(EVM), null)).toBe('confirmed')
})

test('bytes that failed are dead from their block on, and those of which the nodes contradict each other whether they failed are asked for again', async () => {
  const { store } = database
  const becomes = async (change: Partial<Sighting>) => {
    const paymentId = await aPurchase(EVM)
    await sight(paymentId, null, change)
    return store.inTransaction('service', async (tx) => {
      const [row] = await tx.query<{ dead_height: string | null; is_asked: boolean | null }>(
        'test_asked',
        `select dead_height, look_at < 'infinity' as is_asked from purchases where payment_id = $1`,
        [paymentId],
      )
      return { ...row, status: (await findPayment(tx, reading.accounts.alice, paymentId))?.status }
    })
  }
  expect(await becomes({ succeeded: false })).toMatchObject({ status: 'pending', dead_height: '9' })
  const doubted = { succeeded: true, isUntold: true, isFailureDoubted: true } as const
  expect(await becomes(doubted)).toEqual({ status: 'pending', dead_height: null, is_asked: true })
})

test('of what a fee payer sends that is waited for which a wallet signed that buys through it', async () => {
  const { store } = database
  const paymentId = await aPurchase(EVM)
  const book = openPurchaseBook({ clock: systemClock, log: openLog('silent') })
  const { wallet_id: wallet, network } = await store.inTransaction('service', async (tx) => {
    const [row] = await tx.query<{ wallet_id: Address; network: NetworkId }>(
      'test_purchase',
      'select wallet_id, network from purchases where payment_id = $1',
      [paymentId],
    )
    if (row === undefined) throw new Error('no purchase')
    return row
  })
  const watched = (cosigned: readonly Address[]) =>
    store.inTransaction('service', (tx) =>
      book.watched(tx, network, { senders: [EVM], commitments: [], cosigned }),
    )
  const awaited = await watched([EVM])
  expect(awaited.senders.size).toBe(0)
  expect(awaited.cosigners?.has(wallet)).toBe(true)
  expect((await watched([])).cosigners?.size).toBe(0)
})
