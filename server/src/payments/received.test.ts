import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Block, Chain, Terms, TransactionHash } from '../chains/chain.ts'
import type { AuthorizationState, AuthorizationUse, ExactPayments } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { ClaimOrder } from '../facilitator/claim-many.ts'
import { takeTurn } from '../facilitator/claim-store.ts'
import type { SettlerFunds } from '../facilitator/settler-funds.ts'
import type { Settlers } from '../facilitator/settlers.ts'
import { watchClaims } from '../facilitator/watch.ts'
import { systemClock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { closeFinalBlocks } from '../sender/finalize.ts'
import { followBlocks } from '../sender/follow.ts'
import { beginFollowing, takeLease } from '../sender/follower-store.ts'
import type { Cursor } from '../sender/follower-store.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { openDepositBook } from './deposits.ts'
import { openTestClaim, recordsOf } from './test-claims.ts'
import { makeWallet, testNetwork, TOKEN } from './test-lane.ts'
import { write } from '../store/test-write.ts'

const config = { ...testNetwork(84_532), releaseDepth: 2 }
const { network } = config
const HASH = '0xfeed' as TransactionHash

const DRAFT = {
  terms: {} as Terms,
  feeCeiling: baseUnits(1n),
  feeExpected: baseUnits(0n),
  laneLatest: 0n,
  settlerBalance: 1n,
}

/** A payment that somebody else's transaction pays, on a chain that a test writes down. */
interface Scene {
  readonly paymentId: PaymentId
  /** Puts blocks in place of everything from a height on, and reads them. */
  mine(fork: string, from: number, count: number): Promise<void>
  finalize(height: number): Promise<void>
  /** What the node says from now on, and what happens while it is asked. */
  says(state: AuthorizationState, use?: AuthorizationUse, meanwhile?: () => Promise<unknown>): void
  /** Claims that were tried again by themselves. */
  readonly again: PaymentId[]
  watch(stopping?: AbortSignal): Promise<void>
  state(): Promise<unknown>
}

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())

function paidIn(fork: string, height: number): AuthorizationUse {
  const blockHash = `${fork}${height}`
  return {
    kind: 'paid',
    settlement: { hash: HASH, height: BigInt(height), blockHash, logIndex: 4 },
  }
}

async function openScene(validBeforeSeconds: bigint | null = 9n): Promise<Scene> {
  const { store } = database
  const records = recordsOf(store, config)
  const again: PaymentId[] = []
  const blocks: Block[] = []
  const add = (fork: string, height: number) =>
    blocks.push({
      height: BigInt(height),
      hash: `${fork}${height}`,
      parentHash: blocks.at(-1)?.hash ?? '',
      timeMilliseconds: 0,
      transactionHashes: [],
    })
  add('a', 100)
  let state: AuthorizationState = 'open'
  let use: AuthorizationUse | undefined
  let happens = async (): Promise<unknown> => undefined
  const exact: Partial<ExactPayments> = {
    finalState: async () => {
      await happens()
      return state
    },
    draft: async () => ({ ok: true, draft: DRAFT }),
    findForeign: async () => use,
  }
  const chain: Chain = scriptedChain(config, {
    blocks: async (from, count) => blocks.filter(({ height }) => height >= from).slice(0, count),
    parseAddress: (text) => text as Address,
    exact: exact as ExactPayments,
  })
  const log = openLog('silent')
  const deps = {
    chain,
    store,
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    log,
    killPoint: () => undefined,
  }
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 100n, hash: 'a100' }),
  )
  const taken = await store.inTransaction('service', (tx) => takeLease(tx, network, 'one', 60_000))
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  const now = systemClock.nowMilliseconds()
  const paymentId = await openTestClaim(store, records, {
    ...{ config, accountId: wallet.accountId, createdAt: now, validBeforeSeconds },
  })
  return {
    paymentId,
    again,
    mine: async (fork, from, count) => {
      while ((blocks.at(-1)?.height ?? 0n) >= BigInt(from)) blocks.pop()
      for (let height = from; height < from + count; height += 1) add(fork, height)
      let before: Cursor
      do {
        before = cursor
        cursor = await followBlocks(deps, cursor)
      } while (cursor.blockHash !== before.blockHash)
    },
    finalize: async (height) => {
      const { height: top, blockHash } = cursor
      const head = { height: top, hash: blockHash, finalizedHeight: BigInt(height) }
      cursor = await closeFinalBlocks(deps, cursor, [head])
    },
    says: (nextState, nextUse, meanwhile = async () => undefined) => {
      state = nextState
      use = nextUse
      happens = meanwhile
    },
    watch: (stopping) => {
      const watching = {
        ...{ store, records, clock: systemClock, log, killPoint: () => undefined },
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
        signerFor: async () => Promise.reject(new Error('nothing is signed here')),
      }
      return watchClaims(watching, chain, cursor.finalizedHeight, stopping)
    },
    state: () =>
      store.inTransaction('service', (tx) => records.state(tx, wallet.accountId, paymentId)),
  }
}

/** Paid by a stranger in block a103, of the chain a101 to a106. */
async function paidScene(): Promise<Scene> {
  const scene = await openScene()
  await scene.mine('a', 101, 6)
  scene.says('used', paidIn('a', 103))
  await scene.watch()
  return scene
}

describe('a payment that somebody else settled', () => {
  test('is released when its block is deep in the chain that was read', async () => {
    const scene = await paidScene()
    expect(await scene.state()).toMatchObject({ status: 'confirmed', released: true })
  })

  test('is not released on a block that a reorg has taken away, before anybody looks again', async () => {
    const scene = await paidScene()
    await scene.mine('b', 102, 9)
    expect(await scene.state()).toMatchObject({ status: 'confirmed', released: false })
    scene.says('open')
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending', released: false })
  })

  test('counts the depth from the block that has it now', async () => {
    const scene = await paidScene()
    await scene.mine('b', 102, 9)
    scene.says('open', paidIn('b', 110))
    await scene.watch()
    expect(await scene.state()).toMatchObject({
      status: 'confirmed',
      blockHeight: 110n,
      released: false,
    })
    await scene.mine('b', 111, 2)
    expect(await scene.state()).toMatchObject({ released: true })
  })

  test('is where it was seen last, also above the blocks that were read', async () => {
    const scene = await openScene()
    await scene.mine('a', 101, 6)
    for (const height of [108, 107]) {
      scene.says('used', paidIn('a', height))
      await scene.watch()
    }
    expect(await scene.state()).toMatchObject({ status: 'confirmed', blockHeight: 107n })
  })

  test('stays confirmed, and settles, while a node does not show it', async () => {
    const scene = await paidScene()
    scene.says('open')
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'confirmed', released: true })
    await scene.finalize(104)
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'settled', hash: HASH })
  })

  test('is undone as well when nobody looked until its block was replaced and forgotten', async () => {
    const scene = await paidScene()
    await scene.mine('b', 101, 90)
    await scene.finalize(180)
    // A final block of the same height may have it: only what can never be any more says that it has not.
    scene.says('open')
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'confirmed', block: 'unknown' })
    scene.says('expired')
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'expired' })
  })

  test('is not settled by a node on another fork, whatever height it names', async () => {
    const scene = await openScene()
    await scene.mine('a', 101, 6)
    await scene.finalize(104)
    scene.says('used', paidIn('stale', 103))
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending', released: false })
  })
})

test('a success that was told and that a reorganisation took away is settled again by ourselves, an untold one is not', async () => {
  const scene = await paidScene()
  const told = (isTold: boolean) =>
    write(database.store, 'test_told', 'update settlement_claims set answered_at = $1', [
      isTold ? new Date() : null,
    ])
  await scene.mine('b', 102, 9)
  scene.says('open')
  await scene.watch()
  expect(await scene.state()).toMatchObject({ status: 'pending' })
  await scene.watch()
  expect(scene.again).toEqual([])
  await told(true)
  await scene.watch()
  expect(scene.again).toEqual([scene.paymentId])
  scene.says('used', paidIn('b', 109))
  await scene.watch()
  expect(scene.again).toHaveLength(1)
})

describe('an authorization that is used up for good', () => {
  test('has not expired because a node does not show by what', async () => {
    const scene = await openScene()
    await scene.mine('a', 101, 6)
    await scene.finalize(104)
    scene.says('used')
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
    scene.says('used', paidIn('a', 103))
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'settled' })
  })

  test('has expired when the chain shows that it was cancelled, and that is final', async () => {
    const scene = await openScene()
    await scene.mine('a', 101, 6)
    await scene.finalize(104)
    scene.says('used', { kind: 'wasted', height: 105n, blockHash: 'a105' })
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
    scene.says('used', { kind: 'wasted', height: 103n, blockHash: 'stale103' })
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
    scene.says('used', { kind: 'wasted', height: 103n, blockHash: 'a103' })
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'expired' })
  })

  test('has not expired while another facilitator is being handed a signature that can be used longer', async () => {
    const scene = await openScene()
    const { store } = database
    const handed = { stored: { token: TOKEN }, validBeforeSeconds: 19n }
    const turn = { paymentId: scene.paymentId, facilitator: 'https://other.example', handed }
    scene.says('expired', undefined, () =>
      store.inTransaction('service', (tx) => takeTurn(tx, turn, systemClock.nowMilliseconds())),
    )
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
  })
})

test.each([true, false])(
  'bytes without an end of their own expire in a final block in which they did not pay (succeeded: %s)',
  async (succeeded) => {
    const scene = await openScene(null)
    await scene.mine('a', 101, 6)
    await place(scene.paymentId, 'mined', succeeded, { withoutEffect: succeeded })
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'pending' })
    await write(database.store, 'test_final', `update chain_transactions set state = 'final'`)
    await scene.watch()
    expect(await scene.state()).toMatchObject({ status: 'expired' })
  },
)

test('a reorganisation of the transaction in which a payment came to nothing leaves it paid where it was', async () => {
  const scene = await openScene()
  await scene.mine('a', 101, 2)
  // Beside others, in the block after the one in which a stranger had paid it.
  await place(scene.paymentId, 'mined', true, { height: 102, withoutEffect: true })
  scene.says('used', paidIn('a', 101))
  await scene.watch()
  expect(await scene.state()).toMatchObject({ status: 'confirmed', blockHash: 'a101' })
  await scene.mine('b', 102, 2)
  expect(await scene.state()).toMatchObject({ status: 'confirmed', blockHash: 'a101' })
})

test('what came to nothing beside others is settled again by itself, whoever waits', async () => {
  const scene = await openScene()
  await scene.mine('a', 101, 2)
  await place(scene.paymentId, 'mined', true, { withoutEffect: true })
  await scene.watch()
  expect(scene.again).toEqual([])
  const beside = await openScene()
  await write(
    database.store,
    'test_beside',
    `insert into payment_transactions (payment_id, chain_transaction_id, effect_index)
     select $1, id, 1 from chain_transactions`,
    [beside.paymentId],
  )
  await scene.watch()
  expect(scene.again).toEqual([scene.paymentId])
})

/** A place of ours for the payment, included in a101 unless said otherwise. */
async function place(
  paymentId: PaymentId,
  state: string,
  succeeded: boolean,
  { height = 101, withoutEffect = false } = {},
): Promise<void> {
  await write(
    database.store,
    'test_place',
    `with lane as (
       insert into lanes (network, address, next_nonce) values ($1, 'settler', 1)
     ), place as (
       insert into chain_transactions (network, lane_address, nonce, state, mined_hash, mined_height, mined_block_hash,
         succeeded, fee_ceiling, created_at)
       values ($1, 'settler', 0, $3, $5, $6::bigint, 'a' || $6::bigint, $4, 1, now()) returning id
     ), attempt as (
       insert into attempts (chain_transaction_id, number, network, hash, raw, terms, created_at)
       select id, 1, $1, $5, '', '{}', now() from place
     )
     insert into payment_transactions (payment_id, chain_transaction_id, effect_index, without_effect)
     select $2, id, 0, $7 from place`,
    [network, paymentId, state, succeeded, HASH, height, withoutEffect],
  )
}

test('nobody is looked at any more when the service stops', async () => {
  const scene = await openScene()
  await scene.mine('a', 101, 6)
  scene.says('used', paidIn('a', 103))
  await scene.watch(AbortSignal.abort())
  expect(await scene.state()).toMatchObject({ status: 'pending' })
})
