import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { BatchSettlement } from '../chains/batch.ts'
import type { ExactPayments } from '../chains/exact.ts'
import { markWalletDeleted, restoreWallet } from '../custody/store.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { systemClock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { openPaymentBook } from '../payments/advance.ts'
import { openTestLane, TOKEN } from '../payments/test-lane.ts'
import type { TestLane } from '../payments/test-lane.ts'
import { openModelChain } from '../payments/test-model-chain.ts'
import { markDead } from '../sender/place-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openStore } from '../store/postgres.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { findInBooks } from './books-store.ts'
import type { Finding } from './books-store.ts'
import { DIVERGENCES, secondAttemptNaming } from './test-divergences.ts'
import { BUDGET_DIVERGENCES } from './test-budget-divergences.ts'
import { ESCROW_DIVERGENCES } from './test-escrow-divergences.ts'
import { FILLING_DIVERGENCES } from './test-filling-divergences.ts'
import { PURCHASE_DIVERGENCES } from './test-purchase-divergences.ts'
import { SETTLEMENT_DIVERGENCES } from './test-settlement-divergences.ts'
import type { Divergence, Run } from './test-divergences.ts'
import { diagnose } from './run.ts'

let database: TestDatabase
/** Without the triggers and rules that keep the service itself from planting any of this. */
let owner: Store
/** Two lanes: one with payments in every state, one that is idle. */
let busy: TestLane
let idle: TestLane
const ids: Record<string, string> = {}

beforeAll(async () => {
  database = await openTestDatabase()
  owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
  busy = await aLane(1, ['settled', 'token', 'reverted', 'confirmed', 'dead', 'pending'])
  idle = await aLane(2, ['idleSettled', 'token', 'reverted', 'idleDead'])
})
afterAll(async () => {
  await owner.close()
  await database.close()
})

/** Payments of one lane as the service itself makes and ends them. */
async function aLane(chainId: number, names: readonly string[]): Promise<TestLane> {
  const { store } = database
  const model = openModelChain([
    { asset: 'native', amount: 1_000n },
    { asset: TOKEN, amount: 1_000n },
  ])
  const lane = await openTestLane(store, model, chainId)
  const { network } = lane.chain.config
  const sends = names.map((name, index) =>
    lane.prepare({
      asset: name === 'token' ? TOKEN : 'native',
      amount: 100n,
      feeCeiling: 10n,
      at: model.tip(),
      once: { key: `key-${index}`, fingerprint: fingerprint(index) },
    }),
  )
  for (const [index, decision] of (await lane.send(sends)).entries()) {
    if (decision.kind !== 'committed') throw new Error(`not committed: ${decision.kind}`)
    ids[names[index] ?? ''] = decision.payment.id
  }
  const mining = { deposits: [], feePercent: 40 }
  model.mine({ ...mining, take: 2, reverts: false })
  model.mine({ ...mining, take: 1, reverts: true })
  await lane.follow(9)
  await lane.finalize(model.tip().height)
  if (names.includes('confirmed')) {
    model.mine({ ...mining, take: 1, reverts: false })
    await lane.follow(9)
  }
  const [dead] = await store.query<{ id: string }>(
    'test_open',
    `select id from chain_transactions where network = $1 and state = 'open' order by nonce limit 1`,
    [network],
  )
  await store.inTransaction('service', async (tx) => {
    const paymentIds = (await markDead(tx, dead?.id ?? '')) ?? []
    const reason = 'nonce_used_by_another_transaction'
    await openPaymentBook({ clock: systemClock }).dead(tx, [{ network, reason, paymentIds }])
  })
  return lane
}

let planted = 0

/** What the doctor says of the books after a change that nothing else may see. */
async function findingsAfter(plant: Divergence['plant']): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = []
  const undo = new Error('undone on purpose')
  const looking = owner.inTransaction('service', async (tx) => {
    let count = 0
    planted += 1
    await tx.query('plant_triggers_off', 'set local session_replication_role = replica')
    const run: Run = (sql, ...values) => tx.query(`plant_${planted}_${(count += 1)}`, sql, values)
    await plant(run, { wallet: busy.wallet, network: busy.chain.config.network, ids })
    const inside: Tx = {
      // The planted rows are only visible here, where another statement has gone before.
      query: async (name, text, values) =>
        name === 'doctor_snapshot' ? [] : tx.query(name, text, values),
    }
    findings = await findInBooks(inside)
    throw undo
  })
  await expect(looking).rejects.toBe(undo)
  return findings
}

const PLANTED = [
  ...DIVERGENCES,
  ...SETTLEMENT_DIVERGENCES,
  ...PURCHASE_DIVERGENCES,
  ...BUDGET_DIVERGENCES,
  ...ESCROW_DIVERGENCES,
  ...FILLING_DIVERGENCES,
]
const KNOWN = new Set(PLANTED.map(({ invariant }) => invariant))

describe('the books', () => {
  test('of a service that did its work are sound', async () => {
    const [statuses] = await owner.query<{ all: string[] }>(
      'test_statuses',
      `select array_agg(distinct status order by status) as all from payments`,
    )
    expect(statuses?.all).toEqual(['confirmed', 'failed', 'pending', 'settled'])
    expect(await findingsAfter(async () => {})).toEqual([])
    expect(await diagnose({ store: database.store, chains: [], clock: systemClock })).toEqual({
      findings: [],
      unasked: [],
      notTaken: [],
      clocks: [],
      lookAt: [],
    })
  })

  test.each(PLANTED)('$invariant: $what', async ({ invariant, plant }) => {
    const findings = await findingsAfter(plant)
    expect(new Set(findings.map((finding) => finding.invariant))).toEqual(new Set([invariant]))
    for (const { subject } of findings) expect(subject).not.toBe('')
  })

  test.each([
    { what: 'one after the other', told: ['pending', 'confirmed', 'settled'], isSound: true },
    { what: 'and then of a state of before', told: ['settled', 'confirmed'], isSound: false },
    { what: 'in other words', told: ['settled\\u0000'], isSound: false },
  ])('hear what a payment was told in one run, $what', async ({ told, isSound }) => {
    const facts = told
      .map(
        (status) =>
          `{"type":"payment","resourceId":"${ids['settled']}","data":{"status":"${status}","note":"\\u0000"}}`,
      )
      .join('\n')
    const findings = await findingsAfter(async (run, { wallet }) => {
      await run(
        `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at)
         select account_id, sum(count) over (partition by account_id order by id), count,
           'evt_' || translate(lpad(id::text, 22, '1'), '0', 'A'), facts, created_at from outbox`,
      )
      await run('delete from outbox')
      await run(
        `insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at)
         values ($1, 1000, ${told.length}, 'evt_' || repeat('z', 22), $2, now())`,
        ...[wallet.accountId, facts],
      )
    })
    const found = findings.map(({ invariant }) => invariant)
    expect(new Set(found)).toEqual(
      new Set(
        isSound ? [] : ['the newest event of a payment or of a call to an escrow tells its status'],
      ),
    )
  })

  test('take terms that hold their call data for the same as those that name it', async () => {
    expect(await findingsAfter(secondAttemptNaming)).toEqual([])
  })

  test('are judged by no invariant that has no divergence here', async () => {
    const source: Record<string, unknown> = {}
    await database.store.inTransaction('service', (tx) =>
      findInBooks({
        query: async (name, text, values) => {
          source[name] = text
          return tx.query(name, text, values)
        },
      }),
    )
    const invariants = Object.keys(source).filter((name) => /^doctor_\d+$/.test(name))
    expect(KNOWN.size).toBe(invariants.length)
  })
})

describe('the chain', () => {
  const askedOf = (script: Partial<Chain>) =>
    diagnose({
      store: database.store,
      clock: systemClock,
      chains: [
        scriptedChain(idle.chain.config, {
          outcomes: idle.chain.outcomes,
          parseAddress: () => idle.wallet.address,
          balances: async (_, assets) => ({ height: 9n, amounts: assets.map(() => 10_000n) }),
          ...script,
        }),
      ],
    })
  const placeOf = async (name: string) => {
    const [place] = await owner.query<{ subject: string; hash: string }>(
      'test_place_of',
      `select 'place ' || chain_transaction_id as subject, hash from attempts
       join payment_transactions using (chain_transaction_id) where payment_id = $1`,
      [ids[name]],
    )
    if (place === undefined) throw new Error('no such place')
    return place
  }
  /** The chain's own answers, but for one hash. */
  const answering =
    (hash: string, change: object): Chain['outcomes'] =>
    async (hashes) => {
      const outcomes = await idle.chain.outcomes(hashes)
      const mined = outcomes.find(({ state }) => state === 'mined')
      return outcomes.map((outcome, index) =>
        hashes[index] === hash ? { ...mined, ...outcome, ...change } : outcome,
      )
    }

  test('that agrees with the books gives no finding', async () => {
    expect(await askedOf({})).toEqual({
      findings: [],
      unasked: [],
      notTaken: [],
      clocks: [],
      lookAt: [],
    })
  })

  test.each([
    ['a dead place has nothing on chain', 'idleDead', { state: 'mined' }],
    ['a final place is on chain where it was recorded', 'idleSettled', { blockHash: 'another' }],
    ['a final place is on chain where it was recorded', 'idleSettled', { state: 'absent' }],
  ])('%s (%s %j)', async (invariant, name, change) => {
    const { subject, hash } = await placeOf(name)
    const blocks: Chain['blocks'] = async (...asked) =>
      (await idle.chain.blocks(...asked)).map((block) => ({ ...block, hash: 'another' }))
    const { findings } = await askedOf({ blocks, outcomes: answering(hash, change) })
    expect(findings).toEqual([{ invariant, subject }])
  })

  test('at most one attempt of a place is mined', async () => {
    const { subject, hash } = await placeOf('idleSettled')
    const [first] = await owner.query<{ id: string }>(
      'test_second',
      `insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
       select chain_transaction_id, 2, network, hash || '2', raw, terms, now() from attempts
       where hash = $1 returning id`,
      [hash],
    )
    try {
      const { findings } = await askedOf({ outcomes: answering(`${hash}2`, { state: 'mined' }) })
      expect(findings).toEqual([{ invariant: 'at most one attempt of a place is mined', subject }])
    } finally {
      await owner.query('test_second_undo', 'delete from attempts where id = $1', [first?.id])
    }
  })

  test('an idle wallet has on chain what the books say', async () => {
    const { findings } = await askedOf({
      balances: async (_, assets) => ({ height: 9n, amounts: assets.map(() => 10n) }),
    })
    expect(findings.map(({ invariant, subject }) => `${invariant}: ${subject}`).toSorted()).toEqual(
      ['native', TOKEN]
        .map((of) => `an idle wallet has on chain what the books say: ${idle.wallet.address} ${of}`)
        .toSorted(),
    )
  })

  test('whose nodes lack what its configuration lets is named with what is missing', async () => {
    const smartWallets = { areTaken: () => false, whatIsMissing: async () => 'too little is kept' }
    const exact: Partial<ExactPayments> = { smartWallets }
    const batch: Partial<BatchSettlement> = { whatIsMissing: async () => 'there is no escrow' }
    const lacking = { exact: exact as ExactPayments, batch: batch as BatchSettlement }
    expect(await askedOf(lacking)).toEqual({
      findings: [],
      unasked: [],
      notTaken: [
        'payments of smart wallets on eip155:2: too little is kept',
        'batch-settlement on eip155:2: there is no escrow',
      ],
      clocks: [],
      lookAt: [],
    })
  })

  test('whose sponsor of approvals cannot give is named with why', async () => {
    const { address, id, accountId } = idle.wallet
    const { config } = idle.chain
    const saidOf = async (wallet: string, amountMax: bigint) => {
      const approvalSponsoring = { wallet, amountMax, amountPerDay: amountMax }
      const found = await askedOf({ config: { ...config, approvalSponsoring } })
      return found.notTaken.map((said) => said.replace(/^.*eip155:2: /, ''))
    }
    const stranger = `0x${'0'.repeat(38)}aa`
    expect(await saidOf(address, 1n)).toEqual([])
    expect(await saidOf(stranger, 1n)).toEqual([`${stranger} is no wallet of this installation`])
    expect(await saidOf(address, 10n ** 30n)).toEqual([
      expect.stringMatching(/ has .*, less than one approval may take$/),
    ])
    const { store } = database
    await store.inTransaction(accountId, (tx) => markWalletDeleted(tx, accountId, id, Date.now()))
    try {
      expect(await saidOf(address, 1n)).toEqual([`the wallet ${address} is deleted`])
    } finally {
      await store.inTransaction(accountId, (tx) => restoreWallet(tx, accountId, id))
    }
  })

  test('that cannot be asked is neither good nor bad', async () => {
    const failing = async () => {
      throw new NodeFailure('nobody answered')
    }
    const { findings, unasked } = await askedOf({ outcomes: failing })
    expect(findings).toEqual([])
    expect(unasked).toEqual(['eip155:2: nobody answered'])
  })
})
