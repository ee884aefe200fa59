import { setImmediate } from 'node:timers/promises'
import type { Address, Chain, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { AuthorizationUse, ExactPayments } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { findPayment } from '../payments/store.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { EVM } from '../payments/test-records.ts'
import type { Reading } from '../payments/test-records.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store } from '../store/postgres.ts'
import { openPurchaseBook } from './book.ts'
import { insertPurchase } from './store.ts'
import { watchPurchases } from './watch.ts'

const START = Date.UTC(2026, 8, 21)

/** A purchase that was signed at a height and whose authorization the chain calls used, and what a search of the chain is told. */
export async function aPurchase(
  { store, reading }: { readonly store: Store; readonly reading: Reading },
  chainId: number,
  sinceHeight: bigint,
) {
  const config = testNetwork(chainId)
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
  let [passed, searchedFrom, searches] = [0, -1n, 0]
  const exact: Partial<ExactPayments> = {
    finalState: async () => 'used',
    findForeign: async (_, since) => {
      searchedFrom = since
      searches += 1
      return use
    },
  }
  const chain: Chain = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    exact: exact as ExactPayments,
  })
  const clock = { nowMilliseconds: () => START + passed, sleep: () => setImmediate() }
  const log = openLog('silent')
  const deps = { store, clock, log, book: openPurchaseBook({ clock, log }) }
  const status = () =>
    store.inTransaction(
      accountId,
      async (tx) => (await findPayment(tx, accountId, payment.id))?.status,
    )
  return {
    ...{ chain, deps, purchase, status },
    /** How often the chain was asked by what it was used. */
    searches: () => searches,
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
