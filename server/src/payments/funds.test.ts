import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { openTestLane, testNetwork, TOKEN } from './test-lane.ts'
import type { TestOrder } from './test-lane.ts'
import { ASSETS, costOf, openMemoryBooks } from './test-memory-books.ts'
import type { Allowed, Decision, Subject } from './test-memory-books.ts'
import { ancestry, inclusion, openModelChain } from './test-model-chain.ts'
import type { Mining, ModelBlock, ModelChain } from './test-model-chain.ts'

const SEED = Number(process.env['FLORIN_SEED'] ?? Buffer.from(systemRandom.bytes(4)).readInt32BE())
const FIRST_FUNDS = [
  { asset: 'native', amount: 120n },
  { asset: TOKEN, amount: 80n },
]

/** Of the token that is a currency with one decimal more. */
const UNIT = 10n

type Order = Omit<TestOrder, 'at'> & { readonly back: number; readonly anywhere: boolean }
type Step =
  | ({ readonly kind: 'mine' } & Mining)
  | { readonly kind: 'reorg'; readonly depth: number; readonly keepsDeposits: boolean }
  | { readonly kind: 'follow'; readonly blocks: number }
  | { readonly kind: 'finalize'; readonly lag: number }
  | { readonly kind: 'decide'; readonly orders: readonly Order[] }

const units = (max: number) => fc.integer({ min: 1, max }).map(BigInt)
const asset = fc.constantFrom('native', TOKEN)
const order = fc.record({
  asset,
  amount: units(40),
  feeCeiling: units(12),
  back: fc.integer({ min: 0, max: 4 }),
  anywhere: fc.boolean(),
  torn: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('mine' as const),
      deposits: fc.array(fc.record({ asset, amount: units(30) }), { maxLength: 1 }),
      take: fc.integer({ min: 0, max: 4 }),
      feePercent: fc.integer({ min: 0, max: 100 }),
      reverts: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 3 }),
      keepsDeposits: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      blocks: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('finalize' as const),
      lag: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      orders: fc.array(order, { minLength: 1, maxLength: 3 }),
    }),
  },
)

/** What an amount of an asset is to the chain: itself, or so many units of the native currency under another name. */
type InChain = <Moved extends { readonly asset: string; readonly amount: bigint }>(
  moved: Moved,
) => Moved

/** Plays steps against a subject and holds every decision against what the chain itself knows. */
async function play(steps: readonly Step[], model: ModelChain, subject: Subject, inChain: InChain) {
  const allowed: Allowed[] = []
  const seenDeposits = new Map<number, { asset: string; amount: bigint }>()
  const counts = { allowed: 0, stale: 0, short: 0 }
  const isFollowed = (block: ModelBlock) =>
    ancestry(subject.followedTip()).some(({ hash }) => hash === block.hash)
  const notice = () => {
    for (const { deposits } of ancestry(subject.followedTip())) {
      for (const deposit of deposits) {
        seenDeposits.set(deposit.id, inChain(deposit))
      }
    }
  }
  const isFinal = (where: { height: bigint } | undefined) =>
    where !== undefined && where.height <= subject.finalHeight()
  /** What the payment costs at most, or exactly once that is final. */
  const worst = (payment: Allowed, of: string) => {
    const where = inclusion(subject.followedTip(), payment.hash)
    if (where === undefined || !isFinal(where)) return costOf(payment, of, payment.feeCeiling)
    return where.succeeded
      ? costOf(payment, of, where.feePaid)
      : of === 'native'
        ? where.feePaid
        : 0n
  }
  /** Balance at a followed block less everything that it does not show yet. */
  const leftAt = (block: ModelBlock, of: string) =>
    allowed.reduce(
      (left, payment) =>
        inclusion(block, payment.hash) === undefined ? left - worst(payment, of) : left,
      block.balances.get(of) ?? 0n,
    )
  /** The same, less what the books give back at finality only: unused fee ceilings, and the holds of reverted transactions. */
  const freeAt = (block: ModelBlock, of: string) =>
    allowed.reduce(
      (left, payment) => {
        const where = inclusion(block, payment.hash)
        if (where === undefined || isFinal(where)) return left
        const tied = where.succeeded
          ? of === 'native'
            ? payment.feeCeiling - where.feePaid
            : 0n
          : costOf(payment, of, payment.feeCeiling)
        return left - tied
      },
      leftAt(block, of),
    )

  notice()
  for (const current of steps) {
    switch (current.kind) {
      case 'mine':
        model.mine(current)
        break
      case 'reorg':
        model.reorg(current.depth, subject.finalHeight(), current.keepsDeposits)
        break
      case 'follow':
        await subject.follow(current.blocks)
        notice()
        break
      case 'finalize': {
        const common = ancestry(subject.followedTip()).find(
          ({ hash, height }) => model.blockAt(height)?.hash === hash,
        )
        const wanted = model.tip().height - BigInt(current.lag)
        const height = common === undefined || wanted < common.height ? wanted : common.height
        if (height > subject.finalHeight()) await subject.finalize(height)
        break
      }
      case 'decide': {
        const line = ancestry(model.tip()).toReversed()
        const orders = current.orders.map(({ back, anywhere, ...fields }) => {
          const from = anywhere ? model.everything : line
          return { ...fields, at: from[Math.max(0, from.length - 1 - back)] ?? model.tip() }
        })
        const decisions = await subject.decide(orders)
        for (const [index, { kind, hash }] of decisions.entries()) {
          const order = orders[index]
          if (order === undefined) throw new Error('more decisions than orders')
          const wanted = inChain(order)
          counts[kind] += 1
          const { at, torn } = wanted
          const followed = torn !== true && isFollowed(at)
          if (torn === true || (!followed && at.height <= subject.followedTip().height)) {
            expect(kind, 'a balance of a replaced block decides nothing').toBe('stale')
          } else if (!followed) {
            expect(kind, 'a balance of an unread block is no reason to refuse').not.toBe('short')
          }
          const covered = ASSETS.every(
            (of) => freeAt(at, of) >= costOf(wanted, of, wanted.feeCeiling),
          )
          if (followed && covered) expect(kind, 'money that is free is not refused').toBe('allowed')
          if (kind !== 'allowed') continue
          if (hash === undefined) throw new Error('allowed without bytes')
          allowed.push({ ...wanted, hash })
          if (!followed) continue
          // A deposit that a reorg took back may leave too little of an asset that this payment does not touch.
          for (const of of ['native', wanted.asset]) {
            expect(leftAt(at, of), 'the chain covers it').toBeGreaterThanOrEqual(0n)
          }
        }
        for (const of of ASSETS) {
          const real = [...seenDeposits.values()].reduce(
            (total, deposit) => total + (deposit.asset === of ? deposit.amount : 0n),
            0n,
          )
          const promised = allowed.reduce((total, payment) => total + worst(payment, of), 0n)
          expect(promised, 'what was ever allowed is covered').toBeLessThanOrEqual(real)
          expect(await subject.booked(of), 'funding is found once').toBeLessThanOrEqual(real)
        }
        break
      }
      default:
        current satisfies never
    }
  }
  return counts
}

/** The real books: signing transaction, follower and finality on PostgreSQL. */
async function openRealBooks(
  { store }: TestDatabase,
  model: ModelChain,
  chainId: number,
  assets?: readonly AssetProfile[],
): Promise<Subject> {
  const lane = await openTestLane(store, model, chainId, {}, assets)
  let followed = model.tip()
  let finalHeight = followed.height
  return {
    followedTip: () => followed,
    finalHeight: () => finalHeight,
    booked: async (of) => {
      const rows = await store.query<{ total: string }>(
        'test_booked',
        `select coalesce(sum(e.amount), 0) as total from ledger_entries e
         join ledger_transfers t on t.id = e.transfer_id
         where t.kind = 'funding' and t.account_id = $1 and t.asset = $2 and e.amount > 0`,
        [lane.wallet.accountId, of],
      )
      return BigInt(rows[0]?.total ?? 0)
    },
    follow: async (blocksMax) => {
      const { blockHash } = await lane.follow(blocksMax)
      followed = model.everything.find(({ hash }) => hash === blockHash) ?? followed
    },
    finalize: async (height) => {
      await lane.finalize(height)
      finalHeight = height
    },
    decide: async (orders) => {
      const decisions = await lane.send(orders.map((wanted) => lane.prepare(wanted)))
      return decisions.map((decision): Decision => {
        if (decision.kind === 'committed') return { kind: 'allowed', hash: decision.signed.hash }
        if (decision.kind === 'stale' || decision.kind === 'short') return { kind: decision.kind }
        throw new Error(`nobody asked for ${decision.kind}`)
      })
    },
  }
}

describe('money of a wallet, whatever the chain does and however old the drafts are', () => {
  const check = async (
    what: string,
    { runs, steps }: { runs: number; steps: number },
    open: (model: ModelChain, run: number) => Promise<Subject> | Subject,
    { units, inChain }: { units?: ReadonlyMap<string, bigint>; inChain: InChain } = {
      inChain: (moved) => moved,
    },
  ) => {
    console.info(`${what}: FLORIN_SEED=${SEED}`)
    const total = { allowed: 0, stale: 0, short: 0 }
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: steps / 2, maxLength: steps, size: 'max' }),
        async (history) => {
          const model = openModelChain(FIRST_FUNDS, units)
          run += 1
          const counts = await play(history, model, await open(model, run), inChain)
          for (const kind of ['allowed', 'stale', 'short'] as const) total[kind] += counts[kind]
        },
      ),
      { numRuns: runs, seed: SEED, endOnFailure: runs < 100 },
    )
    // The histories did what they are for: every kind of decision was made, often.
    expect(Math.min(total.allowed, total.stale, total.short)).toBeGreaterThan(runs)
  }

  test('is promised once, found once and not refused while it is free (decisions alone)', () =>
    check('decisions', { runs: 400, steps: 60 }, openMemoryBooks))

  describe('with the real books', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openTestDatabase()
    })
    afterAll(() => database.close())

    test('is promised once, found once and not refused while it is free (on PostgreSQL)', () =>
      check('real books', { runs: 10, steps: 50 }, (model, run) =>
        openRealBooks(database, model, 1_000_000 + run),
      ))

    test('is promised once and found once where a token is the native currency under another name', () =>
      check(
        'one currency, two names',
        { runs: 10, steps: 50 },
        (model, run) => {
          const { assets } = testNetwork(2_000_000 + run)
          const named = assets.map((each) =>
            each.asset === TOKEN ? { ...each, decimals: 17, isCurrency: true as const } : each,
          )
          return openRealBooks(database, model, 2_000_000 + run, named)
        },
        {
          units: new Map([[TOKEN, UNIT]]),
          inChain: (moved) =>
            moved.asset === TOKEN
              ? { ...moved, asset: 'native', amount: moved.amount * UNIT }
              : moved,
        },
      ))
  })
})
