import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Arrival, Block, TransactionHash } from '@florin/server/chains/chain.ts'
import type { Wallet } from '@florin/server/custody/wallet.ts'
import { findInBooks } from '@florin/server/doctor/books-store.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { makeWallet, testNetwork } from '@florin/server/payments/test-lane.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import { OUTBOX_FACTS } from '../events/test-facts.ts'
import { closeFinalBlocks } from './finalize.ts'
import { ChainMoved, followBlocks } from './follow.ts'
import { beginFollowing, LeaseLost, takeLease } from './follower-store.ts'
import type { Cursor } from './follower-store.ts'
import { scriptedChain } from './test-chain.ts'
import { write } from '../store/test-write.ts'

const config = testNetwork(84_532)
const { network } = config
const STRANGER = '0x00000000000000000000000000000000000000AA' as Address
const hash = (name: string) => name as TransactionHash

/** A transfer as a test writes it: whose transaction, to whom, how much, and under which index. */
type Paid = readonly [transaction: string, to: string, amount: bigint, effectIndex?: number]

/** A chain of blocks that a test writes down, and the real follower over it. */
interface Scene {
  /** Puts blocks in place of everything from a height on. */
  mine(fork: string, from: number, ...blocks: readonly (readonly Paid[])[]): void
  /** One round of the follower. */
  followOnce(): Promise<Cursor>
  /** Rounds until nothing is left to read. */
  follow(): Promise<Cursor>
  finalize(height: number): Promise<void>
  /** The chain changes between the read of the next blocks and that of their transfers. */
  moveWhileRead(): void
}

let database: TestDatabase
let wallet: Wallet
beforeEach(async () => {
  database = await openTestDatabase()
  wallet = await makeWallet(database.store)
})
afterEach(() => database.close())
/** What the doctor has to say of the books. */
const findings = () => database.store.inTransaction('service', findInBooks)

async function openScene(): Promise<Scene> {
  const { store } = database
  const blocks: (Block & { readonly paid: readonly Paid[] })[] = []
  let moves = false
  const add = (fork: string, height: number, paid: readonly Paid[]) =>
    blocks.push({
      height: BigInt(height),
      hash: `${fork}${height}`,
      parentHash: blocks.at(-1)?.hash ?? '',
      timeMilliseconds: 0,
      transactionHashes: paid.map(([transaction]) => hash(transaction)),
      paid,
    })
  add('a', 100, [])
  const chain = scriptedChain(config, {
    // A node that calls its last block final, so that another block in its place breaks the policy.
    head: async () => {
      const height = blocks.at(-1)?.height ?? 0n
      return { height, hash: blocks.at(-1)?.hash ?? '', finalizedHeight: height }
    },
    blocks: async (from, count) => blocks.filter(({ height }) => height >= from).slice(0, count),
    outcomes: async (hashes) => hashes.map(() => ({ state: 'absent' as const })),
    arrivals: async (read, ours) => {
      if (moves) return undefined
      const found = blocks
        .filter((block) => read.some((each) => each.hash === block.hash))
        .flatMap((block) =>
          block.paid.map(([transaction, to, amount, effectIndex], index): Arrival => ({
            transactionHash: hash(transaction),
            height: block.height,
            blockHash: block.hash,
            asset: 'native',
            from: STRANGER,
            to: to as Address,
            amount: baseUnits(amount),
            effectIndex: effectIndex ?? index,
          })),
        )
      const mine = await ours([...new Set(found.map(({ to }) => to))])
      return found.filter(({ to }) => mine.has(to))
    },
  })
  const deps = {
    chain,
    store,
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    log: openLog('silent'),
    killPoint: () => undefined,
  }
  await store.inTransaction('service', (tx) =>
    beginFollowing(tx, network, { height: 100n, hash: 'a100' }),
  )
  const taken = await store.inTransaction('service', (tx) => takeLease(tx, network, 'one', 60_000))
  if (taken === undefined) throw new Error('no lease')
  let cursor = taken
  return {
    moveWhileRead: () => {
      moves = true
    },
    mine: (fork, from, ...added) => {
      while ((blocks.at(-1)?.height ?? 0n) >= BigInt(from)) blocks.pop()
      added.forEach((paid, index) => add(fork, from + index, paid))
    },
    followOnce: async () => (cursor = await followBlocks(deps, cursor)),
    follow: async () => {
      let before: Cursor
      do {
        before = cursor
        cursor = await followBlocks(deps, cursor)
      } while (cursor.blockHash !== before.blockHash && cursor.haltedReason === null)
      return cursor
    },
    finalize: async (height) => {
      const head = {
        height: cursor.height,
        hash: cursor.blockHash,
        finalizedHeight: BigInt(height),
      }
      cursor = await closeFinalBlocks(deps, cursor, [head])
    },
  }
}

interface Row {
  readonly hash: string
  readonly amount: string
  readonly status: string
  readonly height: string | null
}
const rows = () =>
  database.store.query<Row>(
    'test_rows',
    `select transaction_hash as hash, amount, status, block_height as height from payments
     where type = 'received' order by transaction_hash, amount, occurrence`,
  )
const events = async () => {
  const found = await database.store.query<{ statuses: string[] }>(
    'test_events',
    `select array_agg(data ->> 'status' order by id, nth) as statuses from ${OUTBOX_FACTS}
     group by resource_id order by min((id, nth))`,
  )
  return found.map(({ statuses }) => statuses)
}
const count = async (status: string) => {
  const [row] = await database.store.query<{ n: string }>(
    'test_count',
    `select count(*) as n from payments where type = 'received' and status = $1`,
    [status],
  )
  return Number(row?.n)
}

describe('a deposit', () => {
  test('is one record per transfer, of the wallet it came to and nobody else', async () => {
    const other = await makeWallet(database.store)
    const scene = await openScene()
    const [mine, theirs] = [wallet.address, other.address]
    scene.mine('a', 101, [
      ['t1', mine, 5n],
      ['t1', theirs, 5n],
      ['t2', mine, 5n],
      ['t2', mine, 5n],
      ['t3', STRANGER, 5n],
    ])
    await scene.follow()
    await scene.finalize(101)
    const stored = await database.store.query(
      'test_owned',
      `select p.transaction_hash as hash, p.status, w.address, w.account_id = p.account_id as own, p.sender, p.log_index as at,
         (select effect_index from effects where payment_id = p.id and direction = 'received') as counted
       from payments p join wallets w on w.id = p.wallet_id order by p.log_index`,
    )
    const record = (name: string, address: string, at: number) => ({
      hash: name,
      status: 'settled',
      address,
      own: true,
      sender: STRANGER,
      at,
      counted: at,
    })
    expect(stored).toEqual([
      record('t1', mine, 0),
      record('t1', theirs, 1),
      record('t2', mine, 2),
      record('t2', mine, 3),
    ])
    expect(await events()).toEqual(Array.from({ length: 4 }, () => ['confirmed', 'settled']))
    expect(await findings()).toEqual([])
  })

  test('that a reorg moves to another block is the same record, whatever its index there', async () => {
    const scene = await openScene()
    const equal: readonly Paid[] = [
      ['t1', wallet.address, 5n, 7],
      ['t1', wallet.address, 5n, 9],
    ]
    scene.mine('a', 101, equal, [])
    await scene.follow()
    const before = await rows()
    expect(before.map(({ status }) => status)).toEqual(['confirmed', 'confirmed'])
    scene.mine(
      'b',
      101,
      [],
      [],
      [
        ['t1', wallet.address, 5n, 1],
        ['t1', wallet.address, 5n, 2],
      ],
    )
    await scene.followOnce()
    expect(await rows()).toEqual(before.map((row) => ({ ...row, status: 'pending', height: null })))
    await scene.follow()
    await scene.finalize(103)
    expect(await rows()).toEqual(
      before.map((row) => ({ ...row, status: 'settled', height: '103' })),
    )
    const path = ['confirmed', 'pending', 'confirmed', 'settled']
    expect(await events()).toEqual([path, path])
    expect(await findings()).toEqual([])
  })

  test('whose transaction never comes back stays pending with its hash', async () => {
    const scene = await openScene()
    scene.mine('a', 101, [['t1', wallet.address, 5n]], [])
    await scene.follow()
    scene.mine('b', 101, [], [], [])
    await scene.follow()
    await scene.finalize(103)
    expect(await rows()).toEqual([{ hash: 't1', amount: '5', status: 'pending', height: null }])
    expect(await findings()).toEqual([])
  })

  test('whose transaction comes back with another transfer has failed once that is final', async () => {
    const scene = await openScene()
    scene.mine('a', 101, [['t1', wallet.address, 5n]], [])
    await scene.follow()
    scene.mine('b', 101, [], [['t1', wallet.address, 6n]], [])
    await scene.follow()
    expect((await rows()).map(({ status }) => status)).toEqual(['pending', 'confirmed'])
    await scene.finalize(102)
    expect(await rows()).toEqual([
      { hash: 't1', amount: '5', status: 'failed', height: null },
      { hash: 't1', amount: '6', status: 'settled', height: '102' },
    ])
    expect(await findings()).toEqual([])
  })

  test('in a final block that is replaced keeps its status and says so', async () => {
    const scene = await openScene()
    scene.mine('a', 101, [['t1', wallet.address, 5n]], [])
    await scene.follow()
    await scene.finalize(101)
    scene.mine('b', 101, [], [], [])
    await scene.follow()
    const found = await database.store.query(
      'test_violated',
      `select p.status, p.finality_violated as violated, f.halted_reason is not null as halted
       from payments p join followers f using (network)`,
    )
    expect(found).toEqual([{ status: 'settled', violated: true, halted: true }])
    const invariant = 'no network is stopped and no final block was replaced'
    expect(await findings()).toEqual([
      { invariant, subject: network },
      { invariant, subject: expect.stringMatching(/^pay_/) },
    ])
  })

  test('is not recorded a second time when a caller’s record of it is there', async () => {
    const scene = await openScene()
    await write(
      database.store,
      'test_asked_for',
      `insert into payments (id, account_id, type, wallet_id, network, asset, amount, decimals, sender, recipient, status, sandbox,
         transaction_hash, block_height, created_at)
       values ('pay_' || repeat('2', 22), $1, 'received', $2, $3, 'native', 5, 18, $4, $5, 'pending', true, 't1', null, now())`,
      [wallet.accountId, wallet.id, network, STRANGER, wallet.address],
    )
    scene.mine('a', 101, [
      ['t1', wallet.address, 5n],
      ['t1', wallet.address, 5n],
    ])
    await scene.follow()
    await scene.finalize(101)
    // The second of two equal ones is nobody else's; the first goes its own way to its end.
    expect((await rows()).map(({ status }) => status).toSorted()).toEqual(['pending', 'settled'])
  })
})

describe('a round', () => {
  test(`takes in ${limits.depositsPerRoundMax} deposits, or one block of more, and loses none`, async () => {
    const scene = await openScene()
    const spam = (name: string, length: number): readonly Paid[] =>
      Array.from({ length }, (_, index) => [`${name}${index % 3}`, wallet.address, 5n] as const)
    scene.mine('a', 101, spam('x', 700), [], spam('y', 700), spam('z', 1_200))
    expect((await scene.followOnce()).height).toBe(102n)
    expect(await count('confirmed')).toBe(700)
    await scene.follow()
    expect(await count('confirmed')).toBe(2_600)
    await scene.finalize(104)
    expect(await count('settled')).toBe(2_600)
    const [effects] = await database.store.query(
      'test_effects',
      'select count(*) as n from effects',
    )
    expect(effects).toEqual({ n: '2600' })
    expect(await findings()).toEqual([])
  })

  test('of an instance that lost its lease stores nothing', async () => {
    const scene = await openScene()
    scene.mine('a', 101, [['t1', wallet.address, 5n]])
    await write(
      database.store,
      'test_expire',
      `update followers set lease_until = now() - interval '1 second'`,
    )
    await database.store.inTransaction('service', (tx) => takeLease(tx, network, 'two', 60_000))
    await expect(scene.follow()).rejects.toThrow(LeaseLost)
    expect(await rows()).toEqual([])
  })

  test('over a chain that moves while transfers are read is dropped whole', async () => {
    const scene = await openScene()
    scene.mine('a', 101, [['t1', wallet.address, 5n]])
    scene.moveWhileRead()
    await expect(scene.follow()).rejects.toThrow(ChainMoved)
    expect(await rows()).toEqual([])
  })
})
