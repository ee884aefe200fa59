import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address, Chain, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { AuthorizationUse, ExactPayments } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { EVM, openReading } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { findPayment } from '../payments/store.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPurchaseBook } from './book.ts'
import { insertPurchase } from './store.ts'
import { watchPurchases } from './watch.ts'

const FIRST_CHAIN = 71_800
const START = Date.UTC(2026, 8, 21)
let chains = 0

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

/** A purchase that was signed at a height and whose authorization the chain calls used, and what a search of the chain is told. */
async function aPurchase(sinceHeight: bigint) {
  const { store } = database
  chains += 1
  const config = testNetwork(FIRST_CHAIN + chains)
  const { network } = config
  const wallet = await makeWallet(store)
  const { accountId } = wallet
  const payment = reading.payment({ accountId, walletId: wallet.id, network, asset: TOKEN })
  await reading.store([payment])
  const stored = { token: TOKEN, from: EVM, to: RECIPIENT, value: `${payment.amount}` }
  const purchase = {
    ...{ paymentId: payment.id, accountId, walletId: wallet.id, network, stored, looks: 0 },
    ...{ url: 'https://shop.example/report', requestDigest: systemRandom.bytes(32) },
    ...{ proofKey: proofKey(newId(systemRandom, 'pay')), validBeforeSeconds: 1n, feePayer: null },
    ...{ lastValidBlockHeight: null, sinceHeight, headerName: 'X-PAYMENT' as const },
    ...{ header: 'proof', askingUntilMilliseconds: null, shown: 0, answer: null },
    isDelivered: false,
  }
  await store.inTransaction(accountId, (tx) => insertPurchase(tx, purchase, START))
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: sinceHeight, hash: 'signed at' }),
  )
  let use: AuthorizationUse | undefined
  let [passed, searchedFrom] = [0, -1n]
  const exact: Partial<ExactPayments> = {
    finalState: async () => 'used',
    findForeign: async (_, since) => {
      searchedFrom = since
      return use
    },
  }
  const chain: Chain = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    exact: exact as ExactPayments,
  })
  const clock = { nowMilliseconds: () => START + passed, sleep: async () => undefined }
  const log = openLog('silent')
  const deps = { store, clock, log, book: openPurchaseBook({ clock, log }) }
  const status = () =>
    store.inTransaction(
      accountId,
      async (tx) => (await findPayment(tx, accountId, payment.id))?.status,
    )
  return {
    shows: (height: bigint, blockHash: string) => {
      const hash = `0x${'ab'.repeat(32)}` as TransactionHash
      use = { kind: 'paid', settlement: { hash, height, blockHash, logIndex: 3 } }
    },
    follow: (height: bigint, hash: string) =>
      store.inTransaction('service', async (tx) => {
        const cursor = await takeLease(tx, network, 'test', 60_000)
        if (cursor === undefined) throw new Error('no lease')
        const block = { height, hash, parentHash: cursor.blockHash, timeMilliseconds: 0 }
        await storeBlocks(tx, cursor, [{ ...block, transactionHashes: [] }])
      }),
    /** Looks at what is due so long after the last look: from which height on it searched, and what the payment says then. */
    look: async (milliseconds: number) => {
      passed += milliseconds
      searchedFrom = -1n
      await watchPurchases(deps, chain, 0n)
      return { searchedFrom, status: await status() }
    },
  }
}

test('a use in a block that was not followed yet is looked for again in a moment, however long it was silent before', async () => {
  const { look, shows, follow } = await aPurchase(9_000n)
  // Each look that shows nothing makes the next one later.
  for (let looks = 0; looks < 8; looks += 1) await look(limits.purchaseLookSecondsMax * 1000)
  shows(9_001n, 'next')
  const long = limits.purchaseLookSecondsMax * 1000
  expect(await look(long)).toMatchObject({ status: 'pending' })
  await follow(9_001n, 'next')
  expect(await look(500)).toMatchObject({ status: 'confirmed' })
})

test('a use is looked for well below the block at which it was signed: after a reorganisation it may stand there', async () => {
  const old = await aPurchase(9_000n)
  expect((await old.look(0)).searchedFrom).toBe(9_000n - BigInt(limits.lookBackBlocks))
  const young = await aPurchase(10n)
  expect((await young.look(0)).searchedFrom).toBe(0n)
})
