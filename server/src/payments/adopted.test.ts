import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Block, Chain, Terms, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { AuthorizationUse, ExactAuthorization, ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { beginSettlement } from '../facilitator/begin.ts'
import type { Beginning } from '../facilitator/beginning.ts'
import type { ClaimOrder } from '../facilitator/claim-many.ts'
import { takeAnswer } from '../facilitator/claim-store.ts'
import type { SettlerFunds } from '../facilitator/settler-funds.ts'
import type { Settlers } from '../facilitator/settlers.ts'
import { watchClaims } from '../facilitator/watch.ts'
import type { WatchDeps } from '../facilitator/watch.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { rollBack } from '../sender/roll-back-store.ts'
import type { Cursor } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openDepositBook } from './deposits.ts'
import { PAYER, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'

const config = testNetwork(84_532)
const { network } = config
const HASH = '0xfeed' as TransactionHash
const KEY = proofKey('a proof')
const DRAFT = {
  ...{ terms: {} as Terms, feeCeiling: baseUnits(1n), feeExpected: baseUnits(0n) },
  ...{ laneLatest: 0n, settlerBalance: 1n },
}
const book = openDepositBook({ clock: systemClock, random: systemRandom })

let database: TestDatabase
let wallet: Wallet
let cursor: Cursor
/** What the node says of the authorization. */
let use: AuthorizationUse | undefined
let isUsed: boolean
/** Claims that were tried again by themselves. */
let again: PaymentId[]
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
  again = []
  await within((tx) => beginFollowing(tx, network, { height: 100n, hash: 'a100' }))
  const taken = await within((tx) => takeLease(tx, network, 'one', 60_000))
  if (taken === undefined) throw new Error('no lease')
  cursor = taken
})
afterEach(() => database.close())

const within = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** Reads block 101 of a fork, with a transfer to the wallet or without one. */
async function read(fork: string, logIndex?: number): Promise<void> {
  const block: Block = {
    ...{ height: 101n, hash: `${fork}101`, parentHash: 'a100' },
    ...{ timeMilliseconds: 0, transactionHashes: [] },
  }
  await within(async (tx) => {
    cursor = await storeBlocks(tx, cursor, [block])
    if (logIndex === undefined) return
    await book.arrived(tx, config, [
      {
        ...{ transactionHash: HASH, height: 101n, blockHash: `${fork}101`, asset: TOKEN },
        ...{ from: PAYER, to: wallet.address, amount: baseUnits(5n), effectIndex: logIndex },
        ...{ walletId: wallet.id, accountId: wallet.accountId },
      },
    ])
  })
}

/** A reorganisation takes block 101 away. */
const undo = () =>
  within(async (tx) => {
    const ancestor = { height: 100n, blockHash: 'a100' }
    await rollBack(tx, cursor, ancestor, { hasNonces: true })
    await book.undone(tx, network, 100n)
    cursor = { ...cursor, ...ancestor }
  })

/** The node shows the payment in block 101 of a fork. */
function shown(fork: string, logIndex: number): void {
  isUsed = true
  const place = { hash: HASH, height: 101n, blockHash: `${fork}101`, logIndex }
  use = { kind: 'paid', settlement: place }
}

function chainNow(): Chain {
  const exact: Partial<ExactPayments> = {
    draft: async () =>
      isUsed
        ? { ok: false, reason: 'invalid_exact_evm_nonce_already_used', isUsed: true }
        : { ok: true, draft: DRAFT },
    finalState: async () => (isUsed ? 'used' : 'open'),
    findForeign: async () => use,
  }
  const parseAddress = (text: string) => text as Address
  return scriptedChain(config, { exact: exact as ExactPayments, parseAddress })
}

function depsNow(): WatchDeps {
  const deps: Partial<WatchDeps> = {
    ...{ store: database.store, records: recordsOf(database.store, config), clock: systemClock },
    ...{ log: openLog('silent'), killPoint: () => undefined },
    settlers: { next: () => wallet } as Partial<Settlers> as Settlers,
    funds: { note: () => true } as Partial<SettlerFunds> as SettlerFunds,
    claims: {
      coming: () => () => undefined,
      keepApart: () => undefined,
      claim: async (_chain: Chain, _settler: Wallet, { beginning }: ClaimOrder) => {
        again.push(beginning.paymentId)
        return { kind: 'taken' as const }
      },
    },
  }
  return deps as WatchDeps
}

const watch = (finalizedHeight: bigint) => watchClaims(depsNow(), chainNow(), finalizedHeight)

/** Settles a payment that was brought to the wallet before anybody asked for it. */
async function settle(): Promise<unknown> {
  const chain = chainNow()
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined || chain.exact === undefined) throw new Error('no token')
  const { address: payTo, accountId } = wallet
  const authorization: ExactAuthorization = {
    ...{ proofKey: KEY, payer: PAYER, asset, payTo, amount: baseUnits(5n) },
    ...{ validBeforeSeconds: 9n, feePayer: null },
    stored: { token: TOKEN, from: PAYER, to: payTo, value: '5' },
  }
  const beginning: Beginning = {
    ...{ accountId, paymentId: newId(systemRandom, 'pay'), digest: new Uint8Array(32) },
    isNew: true,
    intake: {
      ...{ chain, exact: chain.exact, authorization, resource: 'https://shop.example/1' },
      payment: { x402Version: 2 },
    },
  }
  return beginSettlement(depsNow(), beginning)
}

const records = () =>
  database.store.query<{ id: PaymentId; told: string; resource: string | null }>(
    'test_records',
    `select id, status || coalesce('@' || log_index, '') as told, resource from payments`,
  )

test('a success that was told of a deposit, and that a reorganisation took away, is settled again by ourselves', async () => {
  await read('a', 4)
  shown('a', 4)
  expect(await settle()).toEqual({ kind: 'found' })
  const [only, ...others] = await records()
  if (only === undefined) throw new Error('no record')
  expect(others).toEqual([])
  expect(only).toMatchObject({ told: 'confirmed@4', resource: 'https://shop.example/1' })
  await within((tx) => takeAnswer(tx, only.id, systemClock.nowMilliseconds()))
  await undo()
  await read('b')
  isUsed = false
  use = undefined
  await watch(100n)
  await watch(100n)
  expect(await records()).toMatchObject([{ id: only.id, told: 'pending' }])
  expect(again).toEqual([only.id])
})

test('one that comes back in another block is one record still, and settles there', async () => {
  await read('a', 4)
  shown('a', 4)
  await settle()
  await undo()
  await read('b', 2)
  shown('b', 2)
  await watch(100n)
  expect(await records()).toMatchObject([{ told: 'confirmed@2' }])
  await watch(101n)
  expect(await records()).toMatchObject([{ told: 'settled@2' }])
  const effects = await database.store.query('test_effects', 'select payment_id from effects')
  expect(effects).toHaveLength(1)
})

test('a claim of what has settled before is over at once', async () => {
  await read('a', 4)
  await within((tx) => book.final(tx, network, 101n, 10))
  shown('a', 4)
  expect(await settle()).toEqual({ kind: 'found' })
  await watch(101n)
  expect(await records()).toMatchObject([{ told: 'settled@4' }])
  const open = await database.store.query(
    'test_open',
    'select 1 from settlement_claims where closed_at is null',
  )
  expect(open).toEqual([])
})
