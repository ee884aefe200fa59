import { baseUnits } from '@florin/wire/amount.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address, Chain, Terms, TransactionHash, Verdict } from '../chains/chain.ts'
import type { ExactPayments, WaitingSettlement } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { openReceivedRecords } from '../payments/received.ts'
import { makeWallet } from '../payments/test-lane.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { hearing } from '../store/test-hearing.ts'
import { openClaimQueue } from './claim-queue.ts'
import { beginSettlement } from './begin.ts'
import type { BeginDeps } from './beginning.ts'
import { openClaims } from './claim-looks-store.ts'
import type { ClaimOrder } from './claim-many.ts'
import type { ClaimQueue, ClaimQueueDeps } from './claim-queue.ts'
import { config, FEE, testClaimOrder } from './test-claim-order.ts'
import type { Change } from './test-claim-order.ts'
import { write } from '../store/test-write.ts'
import { noWaits } from '../payments/test-waits.ts'

const { network } = config

let database: TestDatabase
let settler: Wallet
let seller: Wallet
let chain: Chain
let queue: ClaimQueue
let deps: ClaimQueueDeps
/** The statements of each transaction, by their names. */
let asked: string[]
/** How the queue's time passes: at once unless a test says otherwise. */
let pause: (signal?: AbortSignal) => Promise<void>
/** What left for the nodes, a batch each. */
let sent: string[][]
/** How the chain parts claims into transactions; one each unless a test says otherwise. */
let parts: NonNullable<ExactPayments['share']>
beforeEach(async () => {
  database = await openTestDatabase()
  const { store } = database
  settler = await makeWallet(store)
  seller = await makeWallet(store, 'seller')
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 7n, hash: 'a7' }),
  )
  sent = []
  pause = async () => undefined
  parts = (waiting) => waiting.map(({ draft }, index) => ({ indexes: [index], draft }))
  chain = scriptedChain(config, {
    exact: {
      share: (waiting: readonly WaitingSettlement[]) => parts(waiting),
    } as Partial<ExactPayments> as ExactPayments,
    sign: async (terms, nonce) => {
      const hash = `${fieldsOf(terms)?.['of'] as string}@${nonce}` as TransactionHash
      return { hash, raw: Buffer.from(hash) }
    },
  })
  asked = []
  deps = {
    store: hearing(store, (name) => {
      asked.push(name)
      return undefined
    }),
    records: openReceivedRecords({
      clock: systemClock,
      waits: noWaits,
      networks: new Map([[network, config]]),
      inTransaction: (scope, work) => store.inTransaction(scope, work),
    }),
    clock: { ...systemClock, sleep: (_milliseconds, signal) => pause(signal) },
    log: openLog('silent'),
    killPoint: () => undefined,
    signerFor: async () => ({ erase: () => undefined }) as never,
    broadcaster: {
      broadcast: async (_network, committed) => {
        if (committed.length > 0) sent.push(committed.map(({ hash }) => hash))
        return committed.map((): Verdict => ({ kind: 'accepted' }))
      },
    },
  }
  queue = openClaimQueue(deps)
})
afterEach(() => database.close())

function draftAt(waiting: readonly WaitingSettlement[], index: number) {
  const draft = waiting[index]?.draft
  if (draft === undefined) throw new Error('nobody waits there')
  return draft
}

/** Asks for the claim of a proof, for the seller, to an address of nobody unless said otherwise. */
function claim(proof: string, change: Change = {}) {
  return queue.claim(chain, settler, orderOf(proof, change))
}

function orderOf(proof: string, { account = seller, ...change }: Change = {}): ClaimOrder {
  return testClaimOrder(chain, proof, { account, ...change })
}

async function outcomes(asked: readonly ReturnType<typeof claim>[]): Promise<readonly string[]> {
  const all = await Promise.all(asked)
  return all.map((one) => (one.kind === 'refused' ? one.reason : one.kind))
}

async function count(
  table: 'payment_identifiers' | 'settlement_claims' | 'payments' | 'attempts' | 'outbox',
) {
  const [row] = await database.store.query<{ count: string }>(
    `test_count_${table}`,
    `select count(*) from ${table}`,
  )
  return Number(row?.count)
}

describe('claims that wait together', () => {
  test('share a transaction: each has its place, and a proof is claimed once', async () => {
    const said = await outcomes(['a', 'b', 'a', 'c', 'b'].map((proof) => claim(proof)))
    expect(said.toSorted()).toEqual(['signed', 'signed', 'signed', 'taken', 'taken'])
    expect(said[3]).toBe('signed')
    await queue.drained()
    expect(sent).toHaveLength(1)
    const places = sent.flat().map((hash) => hash.split('@'))
    expect(places.map(([proof]) => proof).toSorted()).toEqual(['a', 'b', 'c'])
    expect(places.map(([, nonce]) => nonce)).toEqual(['0', '1', '2'])
    expect(await count('settlement_claims')).toBe(3)
    expect(await count('payments')).toBe(3)
    expect(await count('attempts')).toBe(3)
    // Theirs are facts of one account, so one row.
    expect(await count('outbox')).toBe(1)
  })

  test('are looked at after a while: who follows their transaction says before what becomes of it', async () => {
    const now = systemClock.nowMilliseconds()
    expect(await outcomes([claim('a'), claim('b')])).toEqual(['signed', 'signed'])
    const due = (milliseconds: number) =>
      database.store.inTransaction('service', (tx) => openClaims(tx, network, 9, milliseconds))
    expect(await due(now + limits.carriedClaimSeconds * 1000 - 1)).toEqual([])
    expect(
      await due(systemClock.nowMilliseconds() + limits.carriedClaimSeconds * 1000),
    ).toHaveLength(2)
  })

  test('wait for one that is being drafted, and share with it', async () => {
    pause = (signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve())
      })
    const handedIn = queue.coming(chain, settler)
    const first = claim('a')
    await setImmediate()
    const second = claim('b')
    handedIn()
    expect(await outcomes([first, second])).toEqual(['signed', 'signed'])
    await queue.drained()
    expect(sent.map((together) => together.length)).toEqual([2])
  })

  test('wait no longer than a moment for one that does not come, and for nobody when there is none', async () => {
    let pauses = 0
    pause = async () => {
      pauses += 1
    }
    const cameToNothing = queue.coming(chain, settler)
    expect(await outcomes([claim('a')])).toEqual(['signed'])
    expect(pauses).toBe(1)
    cameToNothing()
    expect(await outcomes([claim('b')])).toEqual(['signed'])
    expect(pauses).toBe(1)
  })

  test('lock in the order of a lone claim: claims, names, budgets, lane', async () => {
    const identified = ['a', 'b'].map((proof) =>
      claim(proof, { identifier: `name_of_payment_${proof}` }),
    )
    expect(await outcomes(identified)).toEqual(['signed', 'signed'])
    const locking = ['claims_insert', 'identifiers_take', 'gas_reserve_many', 'lane_lock']
    expect(asked.filter((name) => locking.includes(name))).toEqual(locking)
  })

  test('are announced before they are drafted: one that is drafted alone waits for nobody', async () => {
    let pauses = 0
    pause = async () => {
      pauses += 1
    }
    const { beginning, draft } = orderOf('a')
    const exact: Partial<ExactPayments> = {
      draft: async () => {
        const beside = claim('b')
        await setImmediate()
        expect(pauses).toBe(1)
        await beside
        return { ok: true, draft }
      },
    }
    const begin: Partial<BeginDeps> = {
      ...{ ...deps, claims: queue },
      settlers: { next: () => settler } as Partial<BeginDeps['settlers']> as BeginDeps['settlers'],
      funds: { isLow: () => false, note: () => true } as Partial<
        BeginDeps['funds']
      > as BeginDeps['funds'],
    }
    const intake = { ...beginning.intake, exact: exact as ExactPayments }
    const begun = await beginSettlement(begin as BeginDeps, { ...beginning, intake })
    expect(begun.kind).toBe('signed')
    expect(pauses).toBe(1)
  })

  test('share a transaction of the chain where that parts them so, and the key pays for what it then signs', async () => {
    const both = { terms: { of: 'both' } as Readonly<Record<string, string>> as Terms }
    parts = (waiting) => [
      { indexes: [0], draft: draftAt(waiting, 0) },
      { indexes: [1, 2], draft: { ...draftAt(waiting, 1), ...both, feeCeiling: baseUnits(FEE) } },
    ]
    // Enough for two transactions, not for three.
    const asked = ['a', 'b', 'c'].map((proof) => claim(proof, { balance: 2n * FEE }))
    expect(await outcomes(asked)).toEqual(['signed', 'signed', 'signed'])
    await queue.drained()
    expect(sent).toEqual([['a@0', 'both@1']])
    expect(await count('attempts')).toBe(2)
    const places = await database.store.query<{ nonce: string; effects: number[] }>(
      'test_shared_places',
      `select c.nonce, array_agg(effect_index order by effect_index) as effects from chain_transactions c
       join payment_transactions t on t.chain_transaction_id = c.id group by c.nonce order by c.nonce`,
    )
    expect(places.map(({ effects }) => effects)).toEqual([[0], [0, 1]])
    const [lane] = await database.store.query<{ next_nonce: string }>(
      'test_lane',
      'select next_nonce from lanes',
    )
    expect(lane?.next_nonce).toBe('2')
  })

  test('keep to transactions of their own for a while once a shared one was burned', async () => {
    const asked: boolean[] = []
    parts = (waiting) => {
      asked.push(...waiting.map(({ isAlone }) => isAlone))
      return waiting.map(({ draft }, index) => ({ indexes: [index], draft }))
    }
    queue.keepApart(network)
    expect(await outcomes(['a', 'b'].map((proof) => claim(proof)))).toEqual(['signed', 'signed'])
    expect(asked).toEqual([true, true])
  })

  test('stay together when one of them is refused for a budget of its own', async () => {
    let together = 0
    parts = (waiting) => {
      together = Math.max(together, waiting.length)
      return waiting.map(({ draft }, index) => ({ indexes: [index], draft }))
    }
    const greedy = {
      // More than its account has for a day.
      fee: 4n * FEE,
      account: await makeWallet(database.store, 'other'),
      payer: '0x00000000000000000000000000000000000000a9' as Address,
    }
    const asked = [claim('a', { fee: 1n }), claim('b', greedy), claim('c', { fee: 1n })]
    expect(await outcomes(asked)).toEqual(['signed', 'gas_budget_spent', 'signed'])
    expect(together).toBe(2)
    await queue.drained()
    expect(sent).toEqual([['a@0', 'c@1']])
  })

  test('leave nothing of the one whose address belongs to another account', async () => {
    const asked = [claim('a'), claim('b', { payTo: settler.address }), claim('c')]
    expect(await outcomes(asked)).toEqual(['signed', 'receiver_of_another_account', 'signed'])
    expect(await count('settlement_claims')).toBe(2)
    expect(await count('payments')).toBe(2)
    await queue.drained()
    expect(sent).toEqual([['a@0', 'c@1']])
  })

  test('are made alone when the gas budget does not hold all of them, and it is never passed', async () => {
    const said = await outcomes(['a', 'b', 'c', 'd', 'e'].map((proof) => claim(proof)))
    expect(said).toEqual(['signed', 'signed', 'signed', 'gas_budget_spent', 'gas_budget_spent'])
    expect(await count('settlement_claims')).toBe(3)
    await queue.drained()
    expect(sent.flat()).toEqual(['a@0', 'b@1', 'c@2'])
    const budgets = await database.store.query<{ subject: string; reserved: string }>(
      'test_budgets',
      'select subject, reserved from gas_budgets order by subject',
    )
    expect(budgets.map(({ reserved }) => reserved)).toEqual([`${3n * FEE}`, `${3n * FEE}`])
  })

  test('are all refused, and the lane is frozen, when a stranger uses the key', async () => {
    expect(await outcomes([claim('a')])).toEqual(['signed'])
    // Small fees, so that it is the lane that decides.
    const asked = [
      claim('b', { fee: 1n }),
      claim('c', { fee: 1n, laneLatest: 9n }),
      claim('d', { fee: 1n }),
    ]
    expect(await outcomes(asked)).toEqual(['signed', 'unusable', 'unusable'])
    await queue.drained()
    expect(sent.flat()).toEqual(['a@0', 'b@1'])
    expect(await count('settlement_claims')).toBe(2)
  })

  test('stop no lane that has moved on since the chain was found ahead of it', async () => {
    const { store } = database
    const queueOf = (nextNonce: number) =>
      openClaimQueue({
        ...deps,
        store: {
          ...store,
          inTransaction: (scope, work) =>
            store.inTransaction(scope, work).catch(async (error: unknown) => {
              await write(store, 'test_meanwhile', 'update lanes set next_nonce = $1', [nextNonce])
              throw error
            }),
        },
      })
    const frozen = async (laneLatest: bigint, nextNonce: number) => {
      const order = orderOf('b', { fee: 1n, laneLatest })
      expect(await queueOf(nextNonce).claim(chain, settler, order)).toEqual({ kind: 'unusable' })
      return await store.query('test_frozen', `select 1 from lanes where state = 'frozen'`)
    }
    expect(await outcomes([claim('a')])).toEqual(['signed'])
    expect(await frozen(9n, 9)).toEqual([])
    expect(await frozen(19n, 18)).toHaveLength(1)
  })

  test('are not signed when what is under way may take all that the key has, together or one after the other', async () => {
    const balance = 2n * FEE
    const together = ['a', 'b', 'c'].map((proof) => claim(proof, { balance, fee: 1n }))
    expect(await outcomes(together)).toEqual(['signed', 'signed', 'unusable'])
    expect(await outcomes([claim('d', { balance, fee: 1n })])).toEqual(['unusable'])
    expect(await count('settlement_claims')).toBe(2)
    await write(
      database.store,
      'test_mined',
      `update chain_transactions set state = 'mined', mined_hash = 'x' || id, mined_height = 8, mined_block_hash = 'a8',
         succeeded = true, fee_paid = 1`,
    )
    expect(await outcomes([claim('d', { balance, fee: 1n })])).toEqual(['signed'])
  })

  test('that nobody follows the network for leave nothing', async () => {
    await write(database.store, 'test_halt', `update followers set halted_reason = 'by hand'`)
    expect(await outcomes([claim('a'), claim('b')])).toEqual([
      'network_unavailable',
      'network_unavailable',
    ])
    expect(await count('settlement_claims')).toBe(0)
    expect(sent).toEqual([])
  })
})

describe('claims with a name', () => {
  const identifier = 'a-name-of-its-payer'
  const conflict = 'payment_identifier_conflict'

  test('have it alone, also among those that wait together', async () => {
    const asked = [claim('a', { identifier }), claim('b'), claim('c', { identifier })]
    expect(await outcomes(asked)).toEqual(['signed', 'signed', conflict])
    const later = [claim('d', { identifier }), claim('e')]
    expect(await outcomes(later)).toEqual([conflict, 'signed'])
    expect(await outcomes([claim('f', { identifier })])).toEqual([conflict])
    await queue.drained()
    expect(sent.flat()).toEqual(['a@0', 'b@1', 'e@2'])
    expect(await count('settlement_claims')).toBe(3)
    expect(await count('payment_identifiers')).toBe(1)
  })

  test('have none while they are refused, whoever comes next: the twin of a refused one finds it taken', async () => {
    const dear = { identifier, fee: 4n * FEE }
    expect(await outcomes([claim('a', dear)])).toEqual(['gas_budget_spent'])
    expect(await count('payment_identifiers')).toBe(0)
    expect(await outcomes([claim('b', { identifier })])).toEqual(['signed'])
    expect(await outcomes([claim('a', { identifier })])).toEqual([conflict])
    expect(await count('settlement_claims')).toBe(1)
  })

  test('leave it to the next when they came to nothing', async () => {
    expect(await outcomes([claim('a', { identifier })])).toEqual(['signed'])
    await write(database.store, 'test_expired', `update payments set status = 'expired'`)
    const next = ['b', 'c', 'd'].map((proof) => claim(proof, { identifier }))
    expect(await outcomes(next)).toEqual(['signed', conflict, conflict])
  })
})
