import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NodeFailure } from '@florin/server/chains/chain.ts'
import type { Chain, Doomed, HistoryLook, Renewal, Terms } from '@florin/server/chains/chain.ts'
import { limits } from '@florin/server/kernel/limits.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import { systemClock } from '@florin/server/kernel/clock.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openTestLane, signTest } from '@florin/server/payments/test-lane.ts'
import type { TestLane } from '@florin/server/payments/test-lane.ts'
import { openModelChain } from '@florin/server/payments/test-model-chain.ts'
import type { ModelChain } from '@florin/server/payments/test-model-chain.ts'
import { openTestDatabase } from '@florin/server/store/test-database.ts'
import type { TestDatabase } from '@florin/server/store/test-database.ts'
import type { DeadAttempts } from './dead-attempts.ts'
import { lockLane } from './lane-store.ts'
import { rebuildExpired } from './rebuild.ts'
import { scriptedChain } from './test-chain.ts'

const GAP_MILLISECONDS = 20_000
const FIRST_LIFETIME = 100n
const LIFETIME_BLOCKS = 150n
/** A third of the heights of this chain have no block. */
const EMPTY: HistoryLook = {
  ...{ node: 'one', finalizedHeight: FIRST_LIFETIME + 1n, found: false },
  height: FIRST_LIFETIME + 50n,
}
/** Everything that nodes tell of was read as final here. */
const ALL_READ = 10_000_000n
/** So much more was read than is final. */
const HEAD_ABOVE_FINAL = 32n
const OTHER: HistoryLook = { ...EMPTY, node: 'two' }
/** The same of the blocks that come within the gap. */
const LATER: HistoryLook = { ...EMPTY, finalizedHeight: EMPTY.finalizedHeight + 1_000n }

let database: TestDatabase
let lanes = 0
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

/** One open place whose bytes live up to height 100, and instances of the service that look after it. */
async function anOpenPlace() {
  const model: ModelChain = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane: TestLane = await openTestLane(database.store, model, 2_000_000 + (lanes += 1))
  const order = { asset: 'native', amount: 100n, feeCeiling: 10n, at: model.tip() }
  const [sent] = await lane.send([lane.prepare(order)])
  if (sent?.kind !== 'committed') throw new Error('not committed')
  const { network } = lane.chain.config
  let nowMilliseconds = 1_000_000
  const broadcasts: Uint8Array[] = []
  const hooks = { beforeSigning: async () => {}, isRenewable: true }
  /** From where on every node calls the bytes over, and what they were asked about. */
  const nodes: { deadFrom: bigint | undefined; asked: Doomed[] } = { deadFrom: 0n, asked: [] }

  const attempts = () =>
    database.store.query<{ number: number; raw: Buffer; terms: Terms; state: string }>(
      'test_attempts',
      `select a.number, a.raw, a.terms, t.state || ' ' || p.status as state from attempts a
       join chain_transactions t on t.id = a.chain_transaction_id
       join payment_transactions using (chain_transaction_id) join payments p on p.id = payment_id where a.network = $1 order by a.number`,
      [network],
    )

  const heard: DeadAttempts = new Map()
  const instance = (lookBack: () => readonly HistoryLook[] | Error, finalizedHeight = ALL_READ) => {
    const renewal: Extract<Renewal, { kind: 'lifetime' }> = {
      kind: 'lifetime',
      lifetimeOf: (terms) => BigInt(terms['lifetime'] ?? FIRST_LIFETIME),
      isRenewable: () => hooks.isRenewable,
      lookBack: async (hashes) => {
        const looks = lookBack()
        if (looks instanceof Error) throw looks
        return hashes.map(() => looks)
      },
      deadFrom: async (asked) => {
        nodes.asked.push(...asked)
        return asked.map(() => nodes.deadFrom)
      },
    }
    const chain: Chain = scriptedChain(
      { ...lane.chain.config, sandbox: false },
      {
        renewal,
        renew: async (terms): Promise<Terms> => ({
          ...terms,
          lifetime: String(renewal.lifetimeOf(terms) + LIFETIME_BLOCKS),
        }),
        sign: async (terms, nonce, signer) => {
          await hooks.beforeSigning()
          return signTest(terms, nonce, signer.address)
        },
      },
    )
    return rebuildExpired(
      {
        chain,
        store: database.store,
        book: openPaymentBook({
          clock: { ...systemClock, nowMilliseconds: () => nowMilliseconds },
        }),
        broadcaster: {
          broadcast: async (_network, committed) => {
            const stored = (await attempts()).at(-1)
            for (const { raw } of committed) expect(stored?.raw.equals(raw)).toBe(true)
            broadcasts.push(...committed.map(({ raw }) => raw))
            return committed.map(() => ({ kind: 'accepted' as const }))
          },
        },
        clock: { nowMilliseconds: () => nowMilliseconds, sleep: async () => {} },
        log: openLog('silent'),
        killPoint: () => {},
        signerOf: async (address) => ({
          address,
          sign: async () => new Uint8Array(),
          erase: () => {},
        }),
      },
      renewal,
      { height: finalizedHeight + HEAD_ABOVE_FINAL, finalizedHeight },
      heard,
    )
  }
  return {
    lane,
    model,
    hooks,
    nodes,
    broadcasts,
    /** One round in which every node's look at every attempt says the same. */
    round: (...looks: readonly HistoryLook[]) => instance(() => looks),
    /** The same where our own chain is final up to a height. */
    roundAt: (finalizedHeight: bigint, ...looks: readonly HistoryLook[]) =>
      instance(() => looks, finalizedHeight),
    failingRound: () => instance(() => new NodeFailure('nobody answered')),
    pass: (milliseconds: number) => {
      nowMilliseconds += milliseconds
    },
    attempts,
    numbers: async () => (await attempts()).map(({ number }) => number),
  }
}

let place: Awaited<ReturnType<typeof anOpenPlace>>
beforeEach(async () => {
  place = await anOpenPlace()
})

describe('an expired transaction', () => {
  test('is made anew once after two empty looks far enough apart, same effect, stored before it is sent', async () => {
    await place.round(EMPTY)
    expect(await place.numbers()).toEqual([1])
    place.pass(GAP_MILLISECONDS)
    await place.round(LATER)
    const [first, second, ...more] = await place.attempts()
    expect(more).toEqual([])
    expect(second?.terms).toEqual({ ...first?.terms, lifetime: '250' })
    expect(place.broadcasts.map((raw) => Buffer.from(raw))).toEqual([second?.raw])
  })

  test('is made anew at once when two nodes found nothing', async () => {
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
  })

  test('needs evidence for every attempt: the next one lives for its own time', async () => {
    await place.round(EMPTY, OTHER)
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
    const late = { finalizedHeight: FIRST_LIFETIME + LIFETIME_BLOCKS + 1n }
    await place.round({ ...EMPTY, ...late }, { ...OTHER, ...late })
    expect(await place.numbers()).toEqual([1, 2, 3])
  })

  test.each([
    ['the look failed', []],
    [
      'the final height is the last at which it may be included',
      [{ ...EMPTY, finalizedHeight: FIRST_LIFETIME }],
    ],
    [
      'one of two nodes is not past its lifetime',
      [EMPTY, { ...OTHER, finalizedHeight: FIRST_LIFETIME }],
    ],
    ['one of two nodes found it', [EMPTY, { ...OTHER, found: true }]],
  ] satisfies [string, HistoryLook[]][])('is left alone while %s', async (_when, looks) => {
    for (let count = 0; count < 3; count += 1) {
      await place.round(...looks)
      place.pass(GAP_MILLISECONDS)
    }
    expect(await place.numbers()).toEqual([1])
    expect(place.broadcasts).toEqual([])
  })

  test('is left alone, whatever nodes do not find, until each block that could hold it was read as final here', async () => {
    // Behind one address a machine that stands still knows nothing of what the one that told the height has included.
    const before = EMPTY.height - 1n
    await place.roundAt(before, EMPTY, OTHER)
    place.pass(GAP_MILLISECONDS)
    const later = { ...LATER, height: EMPTY.height + 1_000n }
    await place.roundAt(before, later, { ...later, node: 'two' })
    expect(await place.numbers()).toEqual([1])
    await place.roundAt(EMPTY.height, EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
  })

  test('is left alone while one node calls it alive or says nothing, whatever the lifetime told when it was made', async () => {
    place.nodes.deadFrom = undefined
    for (let count = 0; count < 3; count += 1) {
      await place.round(EMPTY, OTHER)
      await place.round(LATER, { ...LATER, node: 'two' })
      place.pass(GAP_MILLISECONDS)
    }
    expect(await place.numbers()).toEqual([1])
    expect(place.broadcasts).toEqual([])
    const [first] = await place.attempts()
    const sinceHeight = ALL_READ + HEAD_ABOVE_FINAL
    expect(place.nodes.asked[0]).toMatchObject({ raw: first?.raw, sinceHeight })
    place.nodes.deadFrom = EMPTY.height
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
  })

  test('is left alone until all was read as final up to where the nodes call it over, and looked for after that', async () => {
    const over = EMPTY.height + 30n
    place.nodes.deadFrom = over
    await place.roundAt(over - 1n, EMPTY, OTHER)
    place.pass(GAP_MILLISECONDS)
    await place.roundAt(over - 1n, LATER, { ...LATER, node: 'two' })
    expect(await place.numbers()).toEqual([1])
    // What they have said once is known; nothing found before that is no evidence.
    place.nodes.deadFrom = undefined
    await place.roundAt(over, EMPTY)
    expect(await place.numbers()).toEqual([1])
    await place.roundAt(over, EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
    expect(place.nodes.asked).toHaveLength(1)
  })

  test('is asked about again where one node speaks of a final block above all that was read', async () => {
    place.nodes.deadFrom = ALL_READ * 1_000n
    await place.round(EMPTY, OTHER)
    place.nodes.deadFrom = EMPTY.height
    await place.round(EMPTY, OTHER)
    expect(place.nodes.asked).toHaveLength(2)
    expect(await place.numbers()).toEqual([1, 2])
  })

  test.each([
    ['found', [EMPTY, { ...OTHER, found: true }]],
    ['not past its told lifetime', [EMPTY, { ...OTHER, finalizedHeight: FIRST_LIFETIME }]],
    ['not looked for', []],
  ] satisfies [string, HistoryLook[]][])(
    'costs no further question while it is %s',
    async (_, looks) => {
      await place.round(...looks)
      expect(place.nodes.asked).toEqual([])
    },
  )

  test('is left alone after one look, and after looks of one node too close together', async () => {
    await place.round(EMPTY)
    place.pass(GAP_MILLISECONDS - 1)
    await place.round(LATER)
    expect(await place.numbers()).toEqual([1])
  })

  test.each([
    ['forward', GAP_MILLISECONDS],
    ['back', -GAP_MILLISECONDS],
  ])(
    'is left alone where nothing but a clock has gone %s since the look before',
    async (_, step) => {
      await place.round(EMPTY)
      place.pass(step)
      await place.round(EMPTY)
      // Two blocks are no gap either.
      await place.round({ ...EMPTY, finalizedHeight: EMPTY.finalizedHeight + 2n })
      expect(await place.numbers()).toEqual([1])
      place.pass(1)
      await place.round(LATER)
      expect(await place.numbers()).toEqual([1, 2])
    },
  )

  test('leaves no more evidence than proves it, however long it waits for an operator', async () => {
    const rows = async () => {
      const looks = await database.store.query(
        'test_looks',
        `select from expiry_looks l join attempts a on a.id = l.attempt_id where a.network = $1`,
        [place.lane.chain.config.network],
      )
      return looks.length
    }
    const late = (more: bigint) => ({ finalizedHeight: 1_000_000n + more * 1_000n })
    for (let number = 0; number < limits.attemptsMax; number += 1) {
      await place.round({ ...EMPTY, ...late(0n) }, { ...OTHER, ...late(0n) })
    }
    expect(await place.numbers()).toHaveLength(limits.attemptsMax)
    for (let round = 1n; round < 20n; round += 1n) {
      place.pass(GAP_MILLISECONDS / 2)
      await place.round({ ...EMPTY, ...late(round) }, { ...OTHER, ...late(round) })
    }
    // Of each attempt and node: one to begin with, one between, and one at the end of the gap.
    expect(await rows()).toBeLessThanOrEqual(limits.attemptsMax * 2 * 3)
  })

  test('is left alone when no node answers, and a failed look does not count as one', async () => {
    await place.round(EMPTY)
    place.pass(GAP_MILLISECONDS)
    await expect(place.failingRound()).rejects.toThrow(NodeFailure)
    await place.round()
    expect(await place.numbers()).toEqual([1])
  })

  test('that any node ever found is never replaced, whatever others say later', async () => {
    await place.round(EMPTY, { ...OTHER, found: true })
    for (let count = 0; count < 3; count += 1) {
      place.pass(GAP_MILLISECONDS)
      await place.round(EMPTY)
    }
    expect(await place.numbers()).toEqual([1])
  })

  test('that another instance finds while the next one is signed is not made anew', async () => {
    let first = true
    place.hooks.beforeSigning = async () => {
      if (first) await place.round({ ...EMPTY, node: 'three', found: true })
      first = false
    }
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1])
  })

  test('is left alone in a round without a look, whatever was seen before', async () => {
    const behind = { ...OTHER, finalizedHeight: FIRST_LIFETIME }
    await place.round(EMPTY, behind)
    place.pass(GAP_MILLISECONDS)
    await place.round(EMPTY, behind)
    await place.round()
    expect(await place.numbers()).toEqual([1])
  })

  test('found on a fork while it could still be included is judged by what comes after', async () => {
    await place.round({ ...EMPTY, finalizedHeight: FIRST_LIFETIME - 1n, found: true })
    expect(await place.numbers()).toEqual([1])
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1, 2])
  })

  test('that was mined while the next one was signed is not made anew', async () => {
    place.hooks.beforeSigning = async () => {
      place.model.mine({ deposits: [], take: 1, feePercent: 50, reverts: false })
      await place.lane.follow(1)
    }
    await place.round(EMPTY, OTHER)
    expect(await place.numbers()).toEqual([1])
    expect(place.broadcasts).toEqual([])
  })

  test('is made anew once by two instances at once', async () => {
    const both = Promise.withResolvers<void>()
    let signing = 0
    place.hooks.beforeSigning = async () => {
      signing += 1
      if (signing === 2) both.resolve()
      await both.promise
    }
    await Promise.all([place.round(EMPTY, OTHER), place.round(EMPTY, OTHER)])
    expect(await place.numbers()).toEqual([1, 2])
    expect(place.broadcasts).toHaveLength(1)
  })

  test('that nobody here can make anew is given up under its lane’s lock, unless it was found before that was free', async () => {
    const [found, over] = [place, await anOpenPlace()]
    found.hooks.isRenewable = over.hooks.isRenewable = false
    await over.round(EMPTY, OTHER)
    expect(await over.attempts()).toMatchObject([{ state: 'dead expired' }])
    let round = Promise.resolve()
    await database.store.inTransaction('service', async (tx) => {
      await lockLane(tx, found.lane.chain.config.network, found.lane.wallet.address, 0n)
      round = found.round(EMPTY, OTHER)
      const waiting = `select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`
      const isWaiting = async () => (await database.store.query('test_wait', waiting)).length > 0
      await until('it waits for the lane', isWaiting, { seconds: 30 })
      await found.round({ ...EMPTY, node: 'three', found: true })
    })
    await round
    expect(await found.attempts()).toMatchObject([{ state: 'open pending' }])
  })

  test('waits for an operator when its attempts are used up', async () => {
    for (let number = 1; number < limits.attemptsMax + 3; number += 1) {
      const finalizedHeight = FIRST_LIFETIME + BigInt(number) * LIFETIME_BLOCKS
      await place.round({ ...EMPTY, finalizedHeight }, { ...OTHER, finalizedHeight })
    }
    expect(await place.numbers()).toHaveLength(limits.attemptsMax)
  })
})
