import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Terms } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { systemRandom } from '../kernel/random.ts'
import { makeWallet, signTest, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import type { PaymentBook } from './book.ts'
import { closeFinalBlocks } from './finalize.ts'
import { beginFollowing, storeBlocks, takeLease } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { lockLane } from './lane-store.ts'
import { storeTransactions } from './transaction-store.ts'

const { network } = testNetwork(84_532)
const LANE = '0x00000000000000000000000000000000000000AA' as Address
const MOST = limits.finalPaymentsMax

let database: TestDatabase
let cursor: Cursor
beforeEach(async () => {
  database = await openTestDatabase()
  cursor = await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 7n, hash: 'a7' })
    const began = await takeLease(tx, network, 'test', 60_000)
    if (began === undefined) throw new Error('no lease')
    const block = { height: 8n, hash: 'b8', parentHash: 'a7', timeMilliseconds: 0 }
    return storeBlocks(tx, began, [{ ...block, transactionHashes: [] }])
  })
})
afterEach(() => database.close())

/** Places of one lane that a block holds, the first with so many payments, and so on. */
async function mined(counts: readonly number[]): Promise<void> {
  const { accountId } = await makeWallet(database.store)
  const ids = counts.map((count) =>
    Array.from({ length: count }, (): PaymentId => newId(systemRandom, 'pay')),
  )
  await write(
    database.store,
    'test_payments',
    `insert into payments (id, account_id, type, network, asset, amount, decimals, sender, recipient, status, sandbox, created_at)
     select id, $2, 'received', $3, $4, 5, 6, 'a1', 'a2', 'pending', true, now() from unnest($1::text[]) as given (id)`,
    [ids.flat(), accountId, network, TOKEN],
  )
  await database.store.inTransaction('service', async (tx) => {
    const lane = await lockLane(tx, network, LANE, 0n)
    const places = ids.map((paymentIds, index) => {
      const nonce = BigInt(index)
      const terms = {} as Terms
      return {
        ...{ nonce, terms, paymentIds, feeCeiling: baseUnits(1n) },
        signed: signTest(terms, nonce, LANE),
      }
    })
    await storeTransactions(tx, lane, places, 0)
  })
  await write(
    database.store,
    'test_mined',
    `update chain_transactions set state = 'mined', mined_hash = 'f', mined_height = 8, mined_block_hash = 'b8',
       succeeded = true, fee_paid = 1`,
  )
}

test('what is final is closed in parts that hold a lane for a moment each, in its order, and new blocks are read in between', async () => {
  await mined([MOST - 40, MOST - 40, 0, MOST + 50, 10])
  const closed: number[][] = []
  const book: Partial<PaymentBook> = {
    final: async (_tx, transactions) => {
      closed.push(transactions.map(({ paymentIds }) => paymentIds.length))
    },
  }
  let looksForOthers = 0
  const deps = {
    ...{ store: database.store, book: book as PaymentBook, killPoint: () => undefined },
    deposits: {
      arrived: async () => undefined,
      final: async () => {
        looksForOthers += 1
        return looksForOthers === 1 ? limits.finalBatchMax : 0
      },
      undone: async () => undefined,
    },
  }
  const heights: bigint[] = []
  const told = [{ height: 8n, hash: 'b8', finalizedHeight: 8n }]
  const after = await closeFinalBlocks(deps, cursor, told, async (at) => {
    heights.push(at.finalizedHeight)
    return at
  })
  expect(closed).toEqual([[MOST - 40], [MOST - 40, 0], [MOST + 50], [10]])
  // Nothing counts as final before all of it is closed, what others sent with it, which is looked for once ours is.
  expect(heights).toEqual([7n, 7n, 7n, 7n])
  expect(looksForOthers).toBe(2)
  expect(after.finalizedHeight).toBe(8n)
})

test('lanes are locked before what others sent is closed: that books as well, and who signs locks its lane first', async () => {
  await mined([1])
  const book: Partial<PaymentBook> = { final: async () => undefined }
  let free = -1
  const deps = {
    ...{ store: database.store, book: book as PaymentBook, killPoint: () => undefined },
    deposits: {
      arrived: async () => undefined,
      final: async () => {
        const rows = await database.store.inTransaction('service', (tx) =>
          tx.query('test_free', 'select from lanes for update skip locked'),
        )
        free = rows.length
        return 0
      },
      undone: async () => undefined,
    },
  }
  await closeFinalBlocks(deps, cursor, [{ height: 8n, hash: 'b8', finalizedHeight: 8n }])
  expect(free).toBe(0)
})

test('whoever waits for an operator after a block in between closes nothing more', async () => {
  await mined([MOST, MOST])
  let batches = 0
  const book: Partial<PaymentBook> = {
    final: async () => {
      batches += 1
    },
  }
  const deps = {
    ...{ store: database.store, book: book as PaymentBook, killPoint: () => undefined },
    deposits: {
      arrived: async () => undefined,
      final: async () => 0,
      undone: async () => undefined,
    },
  }
  const told = [{ height: 8n, hash: 'b8', finalizedHeight: 8n }]
  const after = await closeFinalBlocks(deps, cursor, told, async (at) => ({
    ...at,
    haltedReason: 'a final block was replaced',
  }))
  expect(batches).toBe(1)
  expect(after).toMatchObject({ finalizedHeight: 7n, haltedReason: 'a final block was replaced' })
})
