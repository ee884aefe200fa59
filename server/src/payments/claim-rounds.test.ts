import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Chain, TransactionHash } from '../chains/chain.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { ExactAuthorization, ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { SettlerFunds } from '../facilitator/settler-funds.ts'
import type { ReceivedRecords, ReceivedState } from '../facilitator/records.ts'
import type { Settlers } from '../facilitator/settlers.ts'
import { openClaims } from '../facilitator/claim-looks-store.ts'
import { watchClaims } from '../facilitator/watch.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import type { MinedTransaction, PaymentBook } from '../sender/book.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import { openPaymentBook } from './advance.ts'
import { carryTestClaim, openTestClaim, PAYER, recordsOf, SELLER } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'

const config = testNetwork(84_532)
const YEARS = BigInt(Math.floor(systemClock.nowMilliseconds() / 1000)) + 100_000_000n
const HASH = '0xfeed' as TransactionHash
/** Looks without a pause, and some more. */
const ROUNDS = limits.claimLooksAtOnce + 6

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

async function addClaims(count: number): Promise<readonly PaymentId[]> {
  const { store } = database
  const createdAt = systemClock.nowMilliseconds()
  const order = { config, accountId: wallet.accountId, createdAt, validBeforeSeconds: YEARS }
  const ids: PaymentId[] = []
  while (ids.length < count) {
    ids.push(await openTestClaim(store, recordsOf(store, config), order))
  }
  return ids
}

/** When the only claim is looked at next, in seconds. */
async function nextLook(): Promise<number> {
  const [row] = await database.store.query<{ at: string }>(
    'test_look_at',
    `select extract(epoch from look_at) as at from settlement_claims`,
  )
  return Number(row?.at)
}

function watching(exact: Partial<ExactPayments>, known: Partial<ReceivedRecords> = {}) {
  const { store } = database
  const chain: Chain = scriptedChain(config, {
    parseAddress: (text) => text as Address,
    exact: exact as ExactPayments,
  })
  let now = systemClock.nowMilliseconds()
  let apart = 0
  const deps = {
    store,
    records: { ...recordsOf(store, config), ...known },
    clock: { ...systemClock, nowMilliseconds: () => now },
    log: openLog('silent'),
    killPoint: () => undefined,
    settlers: { next: () => wallet } as Partial<Settlers> as Settlers,
    funds: { note: () => true } as Partial<SettlerFunds> as SettlerFunds,
    claims: {
      coming: () => () => undefined,
      keepApart: () => {
        apart += 1
      },
      claim: async () => Promise.reject(new Error('nothing is settled here')),
    },
    signerFor: async () => Promise.reject(new Error('nothing is signed here')),
  }
  return {
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    seconds: () => now / 1000,
    apart: () => apart,
    watch: () => watchClaims(deps, chain, 0n),
  }
}

/** Answers in the next turn of the loop, and counts how many were asked by then. */
function together<Answer>(answer: (authorization: ExactAuthorization) => Answer) {
  const seen = { most: 0, all: 0 }
  let waiting = 0
  const ask = async (authorization: ExactAuthorization) => {
    waiting += 1
    seen.all += 1
    seen.most = Math.max(seen.most, waiting)
    await new Promise<void>((resolve) => setImmediate(resolve))
    waiting -= 1
    return answer(authorization)
  }
  return { seen, ask }
}

test('what the chain says of many claims is asked together, so much at a time and no more', async () => {
  const count = limits.claimsPerReadMax + 5
  await addClaims(count)
  const final = together(() => 'open' as const)
  const used = together(() => ({ ok: true }) as const)
  const { watch } = watching({ finalState: final.ask, check: used.ask })
  await write(database.store, 'test_built', `update settlement_claims set built_until = now()`)
  await watch()
  for (const { seen } of [final, used]) {
    expect(seen).toEqual({ most: limits.claimsPerReadMax, all: count })
  }
})

test('a claim of which a node says nothing keeps nobody else from a look', async () => {
  const [mute, ...others] = await addClaims(3)
  const expired = new Set<string>(others)
  const { watch } = watching({
    finalState: async ({ proofKey }) => {
      if (!expired.has(proofKey)) throw new NodeFailure('the node is away')
      return 'expired'
    },
  })
  await watch()
  const rows = await database.store.inTransaction('service', (tx) =>
    tx.query<{ id: PaymentId; status: string }>('test_statuses', `select id, status from payments`),
  )
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  expect(others.map((id) => statuses.get(id))).toEqual(['expired', 'expired'])
  expect(mute && statuses.get(mute)).toBe('pending')
})

test.each<[string, string, 'idle' | 'open']>([
  ['never was a try of ours, an answer or a build', '', 'idle'],
  ['was built for its seller, some time ago', `built_until = now() - interval '1 second'`, 'idle'],
  ['is built for its seller', `built_until = now() + interval '9 days'`, 'open'],
  ['was told to be paid', `answered_at = now()`, 'open'],
])('a claim of which there %s is looked at as %s', async (_, change, looked) => {
  await addClaims(1)
  if (change !== '') {
    await write(database.store, 'test_claim', `update settlement_claims set ${change}`)
  }
  const { watch, pass, seconds } = watching({
    finalState: async () => 'open',
    check: async () => ({ ok: true }),
    // What was told and is not paid is tried again; here it never comes to anything.
    draft: async () => ({ ok: false, reason: 'invalid_exact_evm_insufficient_balance' }),
  })
  let pause = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await watch()
    pause = (await nextLook()) - seconds()
    pass(3_600)
  }
  if (looked === 'idle') expect(pause).toBeGreaterThan(2 * limits.openClaimSecondsMax)
  else expect(pause).toBe(limits.openClaimSecondsMax)
})

/** A claim, and a transaction of ours that carries it. */
async function carried(): Promise<PaymentId> {
  const [paymentId] = await addClaims(1)
  if (paymentId === undefined) throw new Error('no claim')
  await carryTestClaim(database.store, config.network, wallet, { paymentId, hash: HASH })
  return paymentId
}

test('a claim that a transaction of ours carries is looked at now and then, and asks no node', async () => {
  await carried()
  const { watch, pass, seconds } = watching({
    finalState: async () => Promise.reject(new Error('a node is asked')),
  })
  const pauses: number[] = []
  while (pauses.length < 3) {
    await watch()
    pauses.push(Math.round((await nextLook()) - seconds()))
    // Before its time nothing is asked of the database either.
    pass((pauses.at(-1) ?? 0) - 1)
    const before = await nextLook()
    await watch()
    expect(await nextLook()).toBe(before)
    pass(1)
  }
  const again = limits.carriedClaimAgainSeconds
  expect(pauses).toEqual([again, again, again])
})

type Told = (book: PaymentBook, tx: Tx, paymentId: PaymentId) => Promise<unknown>
const mined =
  (parts: Partial<MinedTransaction>): Told =>
  (book, tx, paymentId) =>
    book.mined(tx, [
      {
        ...{ network: config.network, hash: HASH, height: 8n, blockHash: 'b8' },
        ...{ succeeded: true, feePaid: baseUnits(1n), transfers: [], paymentIds: [paymentId] },
        ...parts,
      },
    ])
const transfer = { asset: TOKEN, from: PAYER, to: SELLER, amount: baseUnits(5n), logIndex: 3 }

test.each<[string, boolean, Told]>([
  ['is included and reverts', true, mined({ succeeded: false })],
  ['is included and pays nothing', true, mined({})],
  ['is included and pays', false, mined({ transfers: [transfer] })],
  [
    'has lost its place to another',
    true,
    (book, tx, paymentId) => {
      const reason = 'nonce_used_by_another_transaction'
      return book.dead(tx, [{ network: config.network, reason, paymentIds: [paymentId] }])
    },
  ],
  [
    'is in no block any more',
    false,
    (book, tx, paymentId) => book.vanished(tx, config.network, [paymentId]),
  ],
])(
  'a claim whose transaction %s is looked at in the next round: %s',
  async (_, isLookedAt, told) => {
    const paymentId = await carried()
    await watching({}).watch()
    const { store } = database
    const due = () =>
      store.inTransaction('service', async (tx) => {
        const claims = await openClaims(tx, config.network, 10, systemClock.nowMilliseconds())
        return claims.map((claim) => claim.paymentId)
      })
    expect(await due()).toEqual([])
    const book = openPaymentBook({ clock: systemClock })
    await store.inTransaction('service', (tx) => told(book, tx, paymentId))
    expect(await due()).toEqual(isLookedAt ? [paymentId] : [])
  },
)

test('a claim whose next look was noted before a clock was set back is looked at', async () => {
  await addClaims(1)
  const { watch, pass } = watching({ finalState: async () => 'open' })
  pass(86_400)
  for (let look = 0; look < ROUNDS; look += 1) {
    await watch()
    pass(3_600)
  }
  const noted = await nextLook()
  const due = (beforeSeconds: number) =>
    database.store.inTransaction('service', (tx) =>
      openClaims(tx, config.network, 10, (noted - beforeSeconds) * 1000),
    )
  expect(await due(limits.idleClaimSecondsMax)).toEqual([])
  expect(await due(limits.idleClaimSecondsMax + 2 * limits.clockAheadSeconds)).toHaveLength(1)
})

test.each([
  [false, true],
  [true, false],
])(
  'what burned a shared transaction keeps settlements apart until that is final, not as long as it is good: final is %s',
  async (isFinal, isKeptApart) => {
    await addClaims(1)
    const burned: ReceivedState = {
      ...{ status: 'pending', released: false, hash: null, logIndex: null, blockHeight: null },
      ...{ blockHash: null, block: 'unknown', reverted: true, wasShared: true },
      ...{
        revertedWhole: true,
        isFinal,
        isDeep: true,
        underWay: false,
        attemptBlock: { height: 7n, hash: 'a7' },
      },
    }
    const says: Partial<ExactPayments> = {
      finalState: async () => 'open',
      check: async () => ({ ok: true }),
    }
    const { watch, pass, apart } = watching(says, { state: async () => burned })
    for (let look = 0; look < 3; look += 1) {
      await watch()
      pass(20)
    }
    expect(apart() > 0).toBe(isKeptApart)
  },
)
