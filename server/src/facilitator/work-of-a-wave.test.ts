import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Terms, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import { numberNext } from '../events/relay-store.ts'
import { addToOutbox } from '../events/store.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { decidedByOurs } from '../payments/status-store.ts'
import { changeStatus, insertPayments } from '../payments/store.ts'
import { makeWallet, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { closeFinal, markMined, matchHashes } from '../sender/place-store.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import { SERVICE_SETTINGS } from '../store/postgres.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { rowsThroughPrepared, statementOf } from '../store/test-plan.ts'
import type { Statement } from '../store/test-plan.ts'
import { findClaims, insertClaims, takeAnswers } from './claim-store.ts'
import { noteLooks, openClaims } from './claim-looks-store.ts'

// PostgreSQL plans a statement once and keeps the plan until a table's statistics change. What was planned after the first few payments meets the
// first wave of many: none of it may compare all with all then. How the statements are written and the settings of the service's connections
// each hold some of it alone; both together hold all.

const MANY = 800
/** Rows that a plan may go through for each row that it is about: itself, its index, its joins, its sorts. */
const ROWS_EACH_MAX = 40

const NOW = 1_800_000_000_000
const config = testNetwork(84_533)
const { network } = config
const LANE = '0x00000000000000000000000000000000000000c1' as Address

let database: TestDatabase
let client: pg.Client
let accountId: AccountId

interface Given {
  /** Places are numbered from one on. */
  readonly transactionId: string
  readonly paymentId: PaymentId
  readonly hash: TransactionHash
}

function given(count: number, before: number): readonly Given[] {
  return Array.from({ length: count }, (_, index) => ({
    transactionId: `${before + index + 1}`,
    paymentId: newId(systemRandom, 'pay'),
    hash: `0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}` as TransactionHash,
  }))
}

beforeEach(async () => {
  database = await openTestDatabase()
  accountId = (await makeWallet(database.store)).accountId
  await database.store.inTransaction('service', async (tx) => {
    await beginFollowing(tx, network, { height: 7n, hash: 'a7' })
    await tx.query(
      'test_lane',
      'insert into lanes (network, address, next_nonce) values ($1, $2, 0)',
      [network, LANE],
    )
  })
  client = new pg.Client({
    connectionString: database.ownerUrl.reveal(),
    options: `${SERVICE_SETTINGS} -c role=florin_service`,
  })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await database.close()
})

/** Payments that were claimed and sent, and of which nothing more is known. */
async function begin(payments: readonly Given[], firstNonce: number, lookAt = NOW): Promise<void> {
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  await database.store.inTransaction('service', async (tx) => {
    await insertClaims(
      tx,
      payments.map(({ paymentId }) => ({
        ...{ paymentId, accountId, network, proofKey: proofKey(paymentId) },
        ...{ termsDigest: new Uint8Array(32), x402Version: 2, stored: {} },
        ...{ validBeforeSeconds: 9n, sinceHeight: 0n },
      })),
      NOW,
      lookAt,
    )
    await insertPayments(
      tx,
      payments.map(({ paymentId }) => ({
        ...{ id: paymentId, accountId, type: 'received', walletId: null, network },
        ...{ asset: TOKEN, amount: baseUnits(5n), decimals: 6, sender: 'a1' as Address },
        ...{ recipient: 'a2' as Address, resource: null, metadataText: null, priorityFee: null },
        ...{ feeCeiling: null, commitment: null, status: 'pending', sandbox: true },
        ...{ finalityViolated: false, transactionHash: null, blockHeight: null, logIndex: null },
        ...{ feePaid: null, failure: null, createdAtMilliseconds: NOW },
        ...{ confirmedAtMilliseconds: null, settledAtMilliseconds: null },
      })),
    )
    await storeTransactions(
      tx,
      { network, address: LANE },
      payments.map(({ paymentId, hash }, index) => ({
        nonce: BigInt(firstNonce + index),
        terms: {} as Terms,
        signed: { hash, raw: Uint8Array.of(1) },
        feeCeiling: baseUnits(1n),
        paymentIds: [paymentId],
      })),
      NOW,
    )
    await addToOutbox(tx, payments.map(factOf), NOW)
  })
}

function factOf({ paymentId }: Given) {
  return { accountId, type: 'payment', resourceId: paymentId, data: {} } as const
}

const changeOf = ({ paymentId, hash }: Given) => ({
  ...{ paymentId, transactionHash: hash, blockHeight: 8n, blockHash: 'b8', logIndex: 0 },
  ...{ feePaid: null, failure: null },
})

/** The steps of a wave in their order, each with one statement. */
const STEPS: Readonly<Record<string, (tx: Tx, of: readonly Given[]) => Promise<unknown>>> = {
  'claims are found': (tx, of) =>
    findClaims(
      tx,
      of.map(({ paymentId }) => ({ network, proofKey: proofKey(paymentId) })),
    ),
  'facts are numbered': (tx, of) =>
    numberNext(
      tx,
      of.map(() => newId(systemRandom, 'evt')),
    ),
  'transactions are found in a block': (tx, of) =>
    matchHashes(
      tx,
      network,
      of.map(({ hash }) => hash),
    ),
  'what decides them is asked': (tx, of) =>
    decidedByOurs(
      tx,
      of.map(({ paymentId }) => paymentId),
    ),
  'looks at claims are noted': (tx, of) =>
    noteLooks(
      tx,
      of.map(({ paymentId }) => ({
        claim: { paymentId, looks: 0, version: '7', validBeforeSeconds: 9n },
        next: 'soon',
      })),
      NOW,
    ),
  'places are marked as mined': (tx, of) =>
    markMined(
      tx,
      of.map(({ transactionId, hash, paymentId }) => ({
        matched: {
          ...{ transactionId, hash, laneAddress: LANE, paymentIds: [paymentId] },
          ...{ requestId: null, hasPlaceBefore: false },
        },
        outcome: {
          ...{ state: 'mined', height: 8n, blockHash: 'b8', succeeded: true },
          ...{ feePaid: baseUnits(1n), transfers: [] },
        },
      })),
    ),
  'payments are confirmed': (tx, of) => changeStatus(tx, 'confirmed', of.map(changeOf), NOW),
  'places are closed as final': (tx) => closeFinal(tx, network, 8n, MANY),
  'payments are settled': (tx, of) => changeStatus(tx, 'settled', of.map(changeOf), NOW),
}

const never = (): never => {
  throw new Error('no such step')
}

const run = (name: string, { values }: Statement) => rowsThroughPrepared(client, name, values)

/** As housekeeping finds the database when the few are over. */
async function sweep(): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl.reveal() })
  await owner.connect()
  await owner.query('vacuum analyze')
  await owner.end()
}

test.each([40, 400])(
  'no step of a wave of settlements compares all with all, though it was planned when there were %i',
  async (few) => {
    const [first, wave] = [given(few, 0), given(MANY, few)]
    const steps = Object.entries(STEPS).map(([what, step], index) => ({
      what,
      name: `step_${index}`,
      of: (payments: readonly Given[]) => statementOf((tx) => step(tx, payments)),
    }))
    await begin(first, 0)
    for (const { name, of } of steps) {
      await client.query(`prepare ${name} as ${(await of(first)).text}`)
      await run(name, await of(first))
    }
    await sweep()
    for (const { name, of } of steps) await run(name, await of(first))

    await begin(wave, few)
    const tooMuch: Record<string, number> = {}
    for (const { what, name, of } of steps) {
      const each = Math.round((await run(name, await of(wave))) / MANY)
      if (each > ROWS_EACH_MAX) tooMuch[what] = each
    }
    expect(tooMuch).toEqual({})
  },
)

test('what moves a few payments goes through those alone, though it was planned when there were no others', async () => {
  const [first, many] = [given(20, 0), given(MANY, 20)]
  const few = many.slice(0, 5)
  const steps = ['places are marked as mined', 'payments are confirmed'].map((what, index) => ({
    name: `moving_${index}`,
    of: (payments: readonly Given[]) => statementOf((tx) => (STEPS[what] ?? never)(tx, payments)),
  }))
  await begin(first, 0)
  for (const { name, of } of steps) {
    await client.query(`prepare ${name} as ${(await of(first)).text}`)
    await run(name, await of(first))
  }
  await begin(many, first.length)
  for (const { name, of } of steps) {
    expect(await run(name, await of(few))).toBeLessThan(few.length * ROWS_EACH_MAX)
  }
})

test('a round goes through the claims whose turn it is and as many as it takes, however many others wait', async () => {
  const [due, later] = [given(MANY, 0), given(MANY, MANY)]
  const round = (at: number, most: number) => statementOf((tx) => openClaims(tx, network, most, at))
  await client.query(`prepare round as ${(await round(NOW, MANY)).text}`)
  await run('round', await round(NOW, MANY))
  await begin(due, 0)
  await begin(later, due.length, NOW + 1)
  await sweep()
  expect(await run('round', await round(NOW - 1, MANY))).toBe(0)
  expect(await run('round', await round(NOW, 10))).toBeLessThan(10 * ROWS_EACH_MAX)
})

test('an answer is noted in the page of its claim, so that no index hears of it', async () => {
  const wave = given(64, 0)
  await begin(wave, 0)
  const moved = await database.store.inTransaction('service', async (tx) => {
    await takeAnswers(
      { write: tx.query },
      wave.map(({ paymentId }) => paymentId),
      NOW,
    )
    const [row] = await tx.query<{ stayed: string }>(
      'test_stayed',
      `select pg_stat_get_xact_tuples_hot_updated('settlement_claims'::regclass) as stayed`,
    )
    return wave.length - Number(row?.stayed)
  })
  expect(moved).toBeLessThanOrEqual(wave.length / 10)
})
