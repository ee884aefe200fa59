import { baseUnits } from '@florin/wire/amount.ts'
import type { PaymentPayload } from '@florin/wire/x402/payment-payload.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address, Chain, Terms, TransactionHash, Verdict } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { ExactPayments, WaitingSettlement } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { openReceivedRecords } from '../payments/received.ts'
import { makeWallet, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { beginFollowing } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openClaimQueue } from './claim-queue.ts'
import type { ClaimQueue } from './claim-queue.ts'
import type { Intake } from './intake.ts'
import { write } from '../store/test-write.ts'

const FEE = 100n
const config = {
  ...testNetwork(84_532),
  sponsoring: {
    gasPerAccountPerDay: 3n * FEE,
    gasPerPayerPerDay: 10n * FEE,
    paymentToGasPercent: 1n,
  },
}
const { network } = config
const PAYER = '0x00000000000000000000000000000000000000a1' as Address

let database: TestDatabase
let settler: Wallet
let seller: Wallet
let chain: Chain
let queue: ClaimQueue
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
  queue = openClaimQueue({
    store,
    records: openReceivedRecords({
      clock: systemClock,
      waits: { look: (_id, read) => read() },
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
  })
})
afterEach(() => database.close())

function draftAt(waiting: readonly WaitingSettlement[], index: number) {
  const draft = waiting[index]?.draft
  if (draft === undefined) throw new Error('nobody waits there')
  return draft
}

/** Asks for the claim of a proof, for the seller, to an address of nobody unless said otherwise. */
function claim(
  proof: string,
  change: {
    account?: Pick<Wallet, 'accountId'>
    payer?: Address
    payTo?: Address
    laneLatest?: bigint
    fee?: bigint
    balance?: bigint
    identifier?: string
  } = {},
) {
  const asset = config.assets.find((each) => each.asset === TOKEN)
  if (asset === undefined) throw new Error('no token')
  const { payTo = '0x00000000000000000000000000000000000000a2' as Address, payer = PAYER } = change
  const authorization = {
    proofKey: proofKey(proof),
    payer,
    asset,
    payTo,
    amount: baseUnits(5n),
    validBeforeSeconds: 9n,
    feePayer: null,
    stored: { token: TOKEN, from: payer, to: payTo, value: '5' },
  }
  const intake: Partial<Intake> = {
    chain,
    authorization,
    payment: { x402Version: 2 } as Partial<PaymentPayload> as PaymentPayload,
    resource: null,
  }
  const { accountId } = change.account ?? seller
  const { identifier } = change
  return queue.claim(chain, settler, {
    beginning: {
      accountId,
      paymentId: newId(systemRandom, 'pay'),
      digest: new Uint8Array(32),
      intake: intake as Intake,
      isNew: true,
      ...(identifier === undefined
        ? {}
        : { named: { accountId, payer, identifier, network, proofKey: authorization.proofKey } }),
    },
    draft: {
      terms: { of: proof } as Readonly<Record<string, string>> as Terms,
      feeCeiling: baseUnits(FEE),
      feeExpected: baseUnits(change.fee ?? FEE),
      laneLatest: change.laneLatest ?? 0n,
      settlerBalance: change.balance ?? 10n * FEE,
    },
  })
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
    expect(await count('outbox')).toBe(3)
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
