import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { until } from '../kernel/until.ts'
import type { Broadcaster } from '../sender/broadcast.ts'
import { CommitUnknown, openStore, StoreUnavailable } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { PreparedSend } from './prepared-send.ts'
import { openSendQueue } from './send-queue.ts'
import { openTestLane } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

const HERE = new AbortController().signal
const GONE = AbortSignal.abort()
const TOO_LATE = 1_790_000_000_000
const FUNDS = 1_000n

let database: TestDatabase
let owner: Store
let lanes = 0
beforeAll(async () => {
  database = await openTestDatabase()
  owner = openStore({ url: database.ownerUrl, log: openLog('silent'), role: null })
})
afterAll(async () => {
  await owner.close()
  await database.close()
})

/** The real queue on a real lane; its store, clock, signer and nodes do as the test says. */
async function aQueue() {
  const model = openModelChain([{ asset: 'native', amount: FUNDS }])
  const lane = await openTestLane(database.store, model, 3_000_000 + (lanes += 1))
  const { network } = lane.chain.config
  const faults: { inTransaction: Store['inTransaction'] } = {
    inTransaction: (scope, work) => database.store.inTransaction(scope, work),
  }
  const time = { nowMilliseconds: TOO_LATE - 1 }
  const gate = { opens: Promise.resolve(), reached: (): void => undefined }
  const broadcasts: string[][] = []
  const node: { answers: Broadcaster['broadcast'] } = { answers: async () => [] }
  const store: Store = {
    ...database.store,
    inTransaction: (scope, work) => faults.inTransaction(scope, work),
  }
  const queue = openSendQueue({
    store,
    clock: { nowMilliseconds: () => time.nowMilliseconds, sleep: async () => {} },
    log: openLog('silent'),
    killPoint: () => {},
    signerFor: async ({ address }) => {
      gate.reached()
      await gate.opens
      return { address, sign: async () => new Uint8Array(), erase: () => {} }
    },
    broadcaster: {
      broadcast: (to, committed) => {
        if (committed.length > 0) broadcasts.push(committed.map(({ hash }) => hash))
        return node.answers(to, committed)
      },
    },
  })
  const prepare = (amount = 10n, more: Partial<PreparedSend> = {}): PreparedSend => ({
    ...lane.prepare({ asset: 'native', amount, feeCeiling: 1n, at: model.tip() }),
    deadlineMilliseconds: TOO_LATE,
    ...more,
  })
  const submit = (send: PreparedSend, callerGone = HERE) =>
    queue.submit(lane.chain, lane.wallet, send, callerGone)
  const stored = async () => {
    const rows = await database.store.query<{ id: string }>(
      'test_stored',
      'select id from payments where network = $1',
      [network],
    )
    return new Set(rows.map(({ id }) => id))
  }
  /** Lets one send hold the lane, so that what is submitted meanwhile shares the next transaction. */
  const together = async (submitAll: () => readonly Promise<unknown>[]) => {
    const opened = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    gate.opens = opened.promise
    gate.reached = reached.resolve
    const first = submit(prepare())
    await reached.promise
    const all = Promise.allSettled(submitAll())
    opened.resolve()
    await first
    return all
  }
  return { queue, lane, faults, time, gate, node, broadcasts, prepare, submit, stored, together }
}

let world: Awaited<ReturnType<typeof aQueue>>
beforeEach(async () => {
  world = await aQueue()
})

const unknown = new CommitUnknown('no answer to commit')
const commitsWithoutAnswer: Store['inTransaction'] = async (scope, work) => {
  await database.store.inTransaction(scope, work)
  throw unknown
}
const losesItsCommit: Store['inTransaction'] = async (scope, work) => {
  await database.store
    .inTransaction(scope, async (tx) => {
      await work(tx)
      throw unknown
    })
    .catch(() => undefined)
  throw unknown
}
const isAway: Store['inTransaction'] = async () => {
  throw new StoreUnavailable('away')
}
/** One answer for each transaction in turn; the real store once they are used up. */
function inTurn(...turns: readonly Store['inTransaction'][]): Store['inTransaction'] {
  let at = 0
  return (scope, work) => {
    const turn = turns[at] ?? ((...args) => database.store.inTransaction(...args))
    at += 1
    return turn(scope, work)
  }
}

describe('a commit without an answer', () => {
  test('that happened is a payment: it is looked for, told and broadcast', async () => {
    world.faults.inTransaction = inTurn(commitsWithoutAnswer)
    const send = world.prepare()
    expect(await world.submit(send)).toMatchObject({
      kind: 'committed',
      payment: { id: send.paymentId },
    })
    expect(await world.stored()).toEqual(new Set([send.paymentId]))
    expect(world.broadcasts).toHaveLength(1)
  })

  test('that did not happen is no payment: asking again is safe, and nothing leaves', async () => {
    world.faults.inTransaction = inTurn(losesItsCommit)
    await expect(world.submit(world.prepare())).rejects.toThrow(StoreUnavailable)
    expect(await world.stored()).toEqual(new Set())
    expect(world.broadcasts).toEqual([])
    // Nor is a lane left behind, which begins where the chain is.
    const { lane } = world
    const lanes = await database.store.query(
      'test_lanes',
      'select from lanes where network = $1 and address = $2',
      [lane.chain.config.network, lane.wallet.address],
    )
    expect(lanes).toEqual([])
  })

  test.each([
    ['there', true],
    ['made by it', false],
  ])('that is still under way is waited for, on a lane that is %s', async (_what, isThere) => {
    if (isThere) await world.submit(world.prepare())
    const end = Promise.withResolvers<void>()
    const committed = Promise.withResolvers<void>()
    const isSlow: Store['inTransaction'] = async (scope, work) => {
      const worked = Promise.withResolvers<void>()
      database.store
        .inTransaction(scope, async (tx) => {
          await work(tx)
          worked.resolve()
          await end.promise
        })
        .then(() => committed.resolve(), committed.reject)
      await worked.promise
      throw unknown
    }
    world.faults.inTransaction = inTurn(isSlow)
    const send = world.prepare()
    let isTold = false
    const told = Promise.allSettled([world.submit(send)]).finally(() => (isTold = true))
    const isWaited = async () => {
      const [row] = await owner.query<{ waiting: string }>(
        'test_waiting',
        `select count(*) as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return isTold || Number(row?.waiting) === 1
    }
    await until('somebody waits for it', isWaited, { seconds: 60 })
    end.resolve()
    await committed.promise
    expect(await told).toMatchObject([{ value: { kind: 'committed' } }])
    expect(await world.stored()).toContain(send.paymentId)
  })

  test.each([
    ['happened', commitsWithoutAnswer],
    ['did not happen', losesItsCommit],
  ])(
    'that %s and cannot be asked about is unknown to those whose payment may exist, and to nobody else',
    async (_what, fault) => {
      const [maybe, short] = [world.prepare(), world.prepare(FUNDS)]
      const answers = await world.together(() => {
        world.faults.inTransaction = inTurn(
          (...args) => database.store.inTransaction(...args),
          fault,
          isAway,
        )
        return [world.submit(maybe), world.submit(short)]
      })
      expect(answers).toMatchObject([
        { status: 'rejected', reason: unknown },
        { status: 'fulfilled', value: { kind: 'short' } },
      ])
      // Only the send that held the lane has gone out; the stored bytes of the other are the rebroadcast's.
      expect(world.broadcasts).toHaveLength(1)
    },
  )
})

test('sends of one moment share a transaction', async () => {
  let transactions = 0
  world.faults.inTransaction = (...args) => {
    transactions += 1
    return database.store.inTransaction(...args)
  }
  const sends = [world.prepare(), world.prepare(), world.prepare()]
  await Promise.all(sends.map((send) => world.submit(send)))
  expect(transactions).toBe(1)
  expect(await world.stored()).toEqual(new Set(sends.map(({ paymentId }) => paymentId)))
})

describe('sends that share a transaction', () => {
  test('a poisonous one does not take its neighbours down', async () => {
    const poison = world.prepare(10n, { metadataText: '{"not": json' })
    const [left, right] = [world.prepare(), world.prepare()]
    const answers = await world.together(() =>
      [left, poison, right].map((one) => world.submit(one)),
    )
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: { kind: 'committed' } },
      { status: 'rejected' },
      { status: 'fulfilled', value: { kind: 'committed' } },
    ])
    const stored = await world.stored()
    expect([left, poison, right].map(({ paymentId }) => stored.has(paymentId))).toEqual([
      true,
      false,
      true,
    ])
  })

  test('are all told when the database is away, and none is tried again', async () => {
    let tries = 0
    const answers = await world.together(() => {
      world.faults.inTransaction = inTurn(
        (...args) => database.store.inTransaction(...args),
        (...args) => {
          tries += 1
          return isAway(...args)
        },
      )
      return [world.submit(world.prepare()), world.submit(world.prepare())]
    })
    for (const answer of answers) expect(answer).toMatchObject({ reason: { message: 'away' } })
    expect(tries).toBe(1)
  })

  const twins = (amount: bigint) => {
    const once = { key: 'twins', fingerprint: fingerprint({ amount: amount.toString() }) }
    return [world.prepare(amount, { once }), world.prepare(amount, { once })] as const
  }

  test('and one key: the second shares the refusal of the first, and the key stays free', async () => {
    const [first, second] = twins(FUNDS)
    const answers = await world.together(() => [world.submit(first), world.submit(second)])
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'fulfilled', value: { kind: 'short' } })
    }
    const [again] = twins(20n)
    expect(await world.submit(again)).toMatchObject({ kind: 'committed' })
  })

  test('and one key: the second is a repeat of the first', async () => {
    const [first, second] = twins(10n)
    const answers = await world.together(() => [world.submit(first), world.submit(second)])
    expect(answers).toMatchObject([
      { value: { kind: 'committed' } },
      { value: { kind: 'replay', paymentId: first.paymentId } },
    ])
    expect((await world.stored()).has(second.paymentId)).toBe(false)
  })
})

describe('a send whose turn comes', () => {
  test('after its time, or after its caller has gone, is not paid', async () => {
    const [late, gone, fine] = [
      world.prepare(10n, { deadlineMilliseconds: TOO_LATE - 2 }),
      world.prepare(),
      world.prepare(),
    ]
    const answers = await world.together(() => [
      world.submit(late),
      world.submit(gone, GONE),
      world.submit(fine),
    ])
    expect(answers).toMatchObject([
      { reason: { code: 'NETWORK_ERROR' } },
      { reason: { code: 'NETWORK_ERROR' } },
      { value: { kind: 'committed' } },
    ])
    const stored = await world.stored()
    expect([late, gone, fine].map(({ paymentId }) => stored.has(paymentId))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('after its time, as the only one of its wallet, keeps no later one from its turn', async () => {
    await expect(world.submit(world.prepare(), GONE)).rejects.toMatchObject({
      code: 'NETWORK_ERROR',
    })
    expect(await world.submit(world.prepare())).toMatchObject({ kind: 'committed' })
  })

  test('when too many wait already is refused at once', async () => {
    const leaving = new AbortController()
    const template = world.prepare()
    const answers = await world.together(() => {
      const waiting = Array.from({ length: limits.sendQueueMax }, () =>
        world.submit(template, leaving.signal),
      )
      const tooMany = world.submit(world.prepare())
      leaving.abort()
      return [tooMany, ...waiting]
    })
    const [tooMany, ...waiting] = answers
    expect(tooMany).toMatchObject({
      reason: { code: 'NETWORK_ERROR', message: 'This wallet has too many payments waiting.' },
    })
    expect(tooMany?.status === 'rejected' && tooMany.reason instanceof Refusal).toBe(true)
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(await world.submit(world.prepare())).toMatchObject({ kind: 'committed' })
  })
})

test('the queue is drained when the nodes have answered for everything that was committed', async () => {
  const answered = Promise.withResolvers<[]>()
  world.node.answers = () => answered.promise
  await world.submit(world.prepare())
  let drained = false
  const draining = world.queue.drained().then(() => {
    drained = true
  })
  await until('it was broadcast', () => world.broadcasts.length === 1, { seconds: 30 })
  expect(drained).toBe(false)
  answered.resolve([])
  await draining
})
