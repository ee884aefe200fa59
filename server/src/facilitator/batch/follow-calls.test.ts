import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BATCH_OPERATIONS } from '../../chains/batch.ts'
import { NodeFailure } from '../../chains/chain.ts'
import { readFacts } from '../../events/facts.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/id.ts'
import { openLog } from '../../kernel/log.ts'
import { openTestDatabase } from '../../store/test-database.ts'
import type { TestDatabase } from '../../store/test-database.ts'
import { storeTestWallet } from '../../store/test-wallet.ts'
import { write } from '../../store/test-write.ts'
import { followCalls } from './follow-calls.ts'
import { listCalls, readCall } from './list-calls.ts'
import { callScene, CHANNEL_ID, NO_MOVES, PAYER, RECEIVER } from './test-call-scene.ts'
import type { Script } from './test-call-scene.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const log = openLog('silent')
let chains = 600_000

/** A scene in which one call was asked for, with the means to follow and read it. */
async function aCall(script: Partial<Script> = {}) {
  const { store } = database
  const scene = await callScene(store, (chains += 1), { deposited: 7n, payer: PAYER, ...script })
  const { accountId, chain, config } = scene
  await scene.ask()
  const networks = new Map([[config.network, config]])
  const list = async (query = {}, by: AccountId = accountId) =>
    (await listCalls({ store, networks }, by, query)).calls
  return {
    ...scene,
    list,
    networks,
    follow: (nowMilliseconds = systemClock.nowMilliseconds()) =>
      followCalls({ store, log, clock: { nowMilliseconds: () => nowMilliseconds } }, chain),
    call: async () => {
      const [call] = await list()
      if (call === undefined) throw new Error('no call is listed')
      return call
    },
    told: () => toldTo(accountId),
  }
}

/** What an account was told of calls, oldest first. */
async function toldTo(accountId: AccountId): Promise<readonly Record<string, unknown>[]> {
  const rows = await database.store.query<{ facts: string }>(
    'test_told',
    'select facts from outbox where account_id = $1 order by id',
    [accountId],
  )
  return rows
    .flatMap(({ facts }) => readFacts(facts))
    .filter(({ type }) => type === 'escrowCall')
    .map(({ dataText }) => JSON.parse(dataText) as Record<string, unknown>)
}

async function confirmedOf(accountId: AccountId): Promise<readonly unknown[]> {
  const told = await toldTo(accountId)
  return told.filter(({ status }) => status === 'confirmed').map(({ transaction }) => transaction)
}

const statuses = (told: readonly Record<string, unknown>[]) => told.map(({ status }) => status)

describe('the record of a call', () => {
  test('is there, and told of, from the moment that its bytes are stored', async () => {
    const { call, told, sent, config } = await aCall()
    const shown = {
      ...{ operation: 'deposit', status: 'pending', network: config.network },
      ...{ amountBaseUnits: '7', claimedBaseUnits: null, payer: PAYER, payTo: RECEIVER },
      ...{ channelId: CHANNEL_ID, channelCount: 1, transaction: sent[0] },
    }
    expect(await call()).toMatchObject({ ...shown, blockHeight: null, fee: null })
    expect(await told()).toMatchObject([{ ...shown, amount: '0.000007', failure: null }])
  })

  test('is not there where nothing was stored', async () => {
    const { list, told } = await aCall({
      prepare: () => ({ ok: false, reason: 'payment_too_small_for_its_gas' }),
    })
    expect(await list()).toEqual([])
    expect(await told()).toEqual([])
  })

  test('goes on as its transaction does, and is told of once each time', async () => {
    const { ends, follow, call, told, sent } = await aCall({
      movedBy: () => ({ ...NO_MOVES, deposited: 7n }),
    })
    await follow()
    await ends(sent[0], 'mined', true)
    await Promise.all([follow(), follow()])
    expect(await call()).toMatchObject({
      ...{ status: 'confirmed', blockHeight: 1, fee: expect.anything() },
      ...{ confirmedAt: expect.any(Number), settledAt: null },
    })
    await ends(sent[0], 'final', true)
    await follow()
    await follow()
    expect(await call()).toMatchObject({ status: 'settled', settledAt: expect.any(Number) })
    expect(statuses(await told())).toEqual(['pending', 'confirmed', 'settled'])
  })

  test.each(BATCH_OPERATIONS)('of a %s says what moved', async (operation) => {
    const moves = { ...NO_MOVES, deposited: 7n, claimed: 11n, settled: 13n, refunded: 17n }
    const amounts = { deposit: '7', claim: '11', settle: '13', refund: '17' }
    const { ends, follow, call, sent } = await aCall({
      ...{ operation, key: `${operation}:1`, deposited: operation === 'deposit' ? 7n : null },
      movedBy: () => moves,
    })
    expect(await call()).toMatchObject({
      amountBaseUnits: operation === 'deposit' ? '7' : null,
    })
    await ends(sent[0], 'mined', true)
    await follow()
    expect(await call()).toMatchObject({
      amountBaseUnits: amounts[operation],
      claimedBaseUnits: operation === 'refund' ? '11' : null,
    })
  })

  test('is taken back with its block, and says anew what moved in another', async () => {
    let claimed = 11n
    const { ends, vanishes, follow, call, told, sent } = await aCall({
      ...{ operation: 'claim', key: 'claim:1', deposited: null },
      movedBy: () => ({ ...NO_MOVES, claimed }),
    })
    await ends(sent[0], 'mined', true)
    await follow()
    await vanishes(sent[0])
    await follow()
    expect(await call()).toMatchObject({
      ...{ status: 'pending', amountBaseUnits: null, confirmedAt: null },
    })
    claimed = 5n
    await ends(sent[0], 'final', true)
    await follow()
    expect(await call()).toMatchObject({ status: 'settled', amountBaseUnits: '5' })
    expect(statuses(await told())).toEqual(['pending', 'confirmed', 'pending', 'settled'])
  })

  test('says another amount where the same transaction stands in another block', async () => {
    let shown = { ...NO_MOVES, settled: 11n }
    const { ends, moves, follow, call, told, sent } = await aCall({
      ...{ operation: 'settle', key: 'settle:1', deposited: null, movedBy: () => shown },
    })
    await ends(sent[0], 'mined', true)
    await follow()
    await moves(sent[0], '0xcc')
    // A node that still has the first block says nothing of the second.
    await follow()
    expect(await call()).toMatchObject({ amountBaseUnits: '11' })
    shown = { ...NO_MOVES, blockHash: '0xcc', settled: 13n }
    await follow()
    expect(await call()).toMatchObject({ status: 'confirmed', amountBaseUnits: '13' })
    // Another block that shows the same is no news.
    await moves(sent[0], '0xdd')
    shown = { ...shown, blockHash: '0xdd' }
    await follow()
    expect((await told()).map(({ amountBaseUnits }) => amountBaseUnits)).toEqual([null, '11', '13'])
  })

  test('is told of once by two who found the same out at once', async () => {
    let asking = 0
    const both = Promise.withResolvers<void>()
    const { ends, follow, told, sent } = await aCall({
      movedBy: async () => {
        asking += 1
        if (asking === 2) both.resolve()
        await both.promise
        return { ...NO_MOVES, deposited: 7n }
      },
    })
    await ends(sent[0], 'mined', true)
    await Promise.all([follow(), follow()])
    expect(statuses(await told())).toEqual(['pending', 'confirmed'])
  })

  test('says nothing of what was taken back while it was looked at', async () => {
    let meanwhile = async () => undefined as unknown
    const { ends, vanishes, follow, call, told, sent } = await aCall({
      movedBy: async () => {
        await meanwhile()
        return { ...NO_MOVES, deposited: 7n }
      },
    })
    await ends(sent[0], 'mined', true)
    meanwhile = () => vanishes(sent[0])
    await follow()
    expect(await call()).toMatchObject({ status: 'pending' })
    expect(statuses(await told())).toEqual(['pending'])
  })

  test('is found behind many that stand as they stood', async () => {
    const { ends, follow, ask, script, sent, accountId, config } = await aCall({
      movedBy: () => ({ ...NO_MOVES, deposited: 7n }),
    })
    script.key = 'deposit:two'
    await ask()
    await write(
      database.store,
      'test_many',
      `insert into escrow_calls (network, call_key, account_id, operation, content_digest, chain_transaction_id, created_at, id, asset, receivers, channel_ids, status)
       select c.network, 'many:' || number, c.account_id, 'claim', c.content_digest, c.chain_transaction_id, to_timestamp(0), 'esc_' || lpad((number + 1000)::text, 22, '1'), c.asset, '{}', '{}', 'pending'
       from escrow_calls c, generate_series(1, 500) number where c.account_id = $1 and c.network = $2 and c.call_key = 'deposit:two'`,
      [accountId, config.network],
    )
    await ends(sent[0], 'mined', true)
    await follow()
    expect(await confirmedOf(accountId)).toEqual([sent[0]])
  })

  test('that another transaction may have done, too, says so where it failed', async () => {
    const { ends, follow, call, sent } = await aCall()
    await ends(sent[0], 'final', false)
    await follow()
    const message = expect.stringContaining('read its channel')
    expect(await call()).toMatchObject({ status: 'failed', failure: { message } })
  })

  test.each(['dead', 'final'] as const)('that came to nothing (%s) failed', async (state) => {
    const { ends, follow, call, told, sent, ask, list } = await aCall({
      ...{ operation: 'claim', key: 'claim:1', deposited: null },
    })
    await ends(sent[0], 'mined', false)
    await follow()
    expect(await call()).toMatchObject({ status: 'pending' })
    await ends(sent[0], state, false)
    await follow()
    const reason = 'invalid_batch_settlement_evm_claim_transaction_failed'
    expect(await call()).toMatchObject({
      ...{ status: 'failed', failure: { reason }, endedAt: expect.any(Number) },
    })
    expect(await told()).toMatchObject([{ status: 'pending' }, { failure: { reason } }])
    // The next one has a record of its own.
    await ask()
    expect((await list()).map(({ status }) => status).toSorted()).toEqual(['failed', 'pending'])
  })
})

describe('what no node shows', () => {
  test('in the followed block is not told by another one', async () => {
    const { ends, moves, follow, call, sent } = await aCall({
      movedBy: () => ({ ...NO_MOVES, deposited: 7n }),
    })
    await ends(sent[0], 'mined', true)
    await moves(sent[0], '0xcc')
    await follow()
    expect(await call()).toMatchObject({ status: 'pending' })
  })

  test('stays as it was, until one shows it', async () => {
    let isAway = true
    const { ends, follow, call, sent } = await aCall({
      movedBy: () => {
        if (isAway) throw new NodeFailure('away')
        return { ...NO_MOVES, deposited: 7n }
      },
    })
    await ends(sent[0], 'final', true)
    await follow()
    expect(await call()).toMatchObject({ status: 'pending' })
    isAway = false
    await follow()
    expect(await call()).toMatchObject({ status: 'settled' })
  })

  test('is told without its amount after an hour, and of its end after another', async () => {
    const { ends, follow, call, told, sent } = await aCall({
      ...{ operation: 'claim', key: 'claim:1', deposited: null },
      movedBy: () => {
        throw new NodeFailure('pruned')
      },
    })
    await ends(sent[0], 'mined', true)
    const late = systemClock.nowMilliseconds() + 3_700_000
    await follow(late)
    await follow(late)
    expect(await call()).toMatchObject({ status: 'confirmed', amountBaseUnits: null })
    await ends(sent[0], 'final', true)
    await follow(late)
    expect(await call()).toMatchObject({ status: 'confirmed' })
    await follow(late + 3_700_000)
    expect(await call()).toMatchObject({ status: 'settled', amountBaseUnits: null })
    expect(statuses(await told())).toEqual(['pending', 'confirmed', 'settled'])
  })

  test('of an old call at the first look is asked for on', async () => {
    let isAway = true
    const { ends, follow, call, told, sent } = await aCall({
      ...{ operation: 'claim', key: 'claim:1', deposited: null },
      movedBy: () => {
        if (isAway) throw new NodeFailure('away')
        return { ...NO_MOVES, claimed: 9n }
      },
    })
    await ends(sent[0], 'final', true)
    const late = systemClock.nowMilliseconds() + 3_700_000
    await follow(late)
    isAway = false
    await follow(late)
    expect(await call()).toMatchObject({ status: 'settled', amountBaseUnits: '9' })
    expect(statuses(await told())).toEqual(['pending', 'confirmed', 'settled'])
  })

  test('of a deposit is no deposit of nothing', async () => {
    const { ends, follow, call, sent } = await aCall({ movedBy: () => NO_MOVES })
    await ends(sent[0], 'mined', true)
    await follow()
    expect(await call()).toMatchObject({ status: 'pending', amountBaseUnits: '7' })
  })
})

describe('the list', () => {
  test('is of one account, and says nothing of another’s', async () => {
    const { list, call, networks } = await aCall()
    const { accountId: stranger } = await storeTestWallet(database.store)
    expect(await list({}, stranger)).toEqual([])
    const { callId } = await call()
    await expect(
      readCall({ store: database.store, networks }, stranger, callId),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('finds by kind, state, channel and transaction', async () => {
    const { list, call, sent, ask, script, ends, follow, accountId, networks } = await aCall()
    const { callId } = await call()
    script.key = 'deposit:two'
    await ask()
    await ends(sent[1], 'dead', false)
    await follow()
    const names = async (query: Parameters<typeof list>[0]) =>
      (await list(query)).map(({ transaction }) => transaction)
    expect((await names({ operation: 'deposit' })).toSorted()).toEqual([...sent].toSorted())
    expect(await names({ operation: 'claim' })).toEqual([])
    expect(await names({ status: 'pending' })).toEqual([sent[0]])
    expect(await names({ status: 'failed' })).toEqual([sent[1]])
    expect(await names({ status: 'settled' })).toEqual([])
    expect(await names({ channelId: CHANNEL_ID.toUpperCase().replace('0X', '0x') })).toHaveLength(2)
    expect(await names({ channelId: `0x${'00'.repeat(32)}` })).toEqual([])
    expect(await names({ transaction: sent[0] })).toEqual([sent[0]])
    expect(await names({ transaction: `0x${'00'.repeat(32)}` })).toEqual([])
    const record = await readCall({ store: database.store, networks }, accountId, callId)
    expect(record).toMatchObject({ callId, receivers: [RECEIVER], channelIds: [CHANNEL_ID] })
  })

  test('goes on where a page ended, each call once, newest first', async () => {
    const { networks, ask, script, accountId, sent } = await aCall()
    for (let more = 2; more <= 5; more += 1) {
      script.key = `deposit:${more}`
      await ask()
    }
    const read: unknown[] = []
    let cursor: string | undefined
    for (let page = 0; page < 3; page += 1) {
      const asked = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await listCalls({ store: database.store, networks }, accountId, asked)
      read.push(...answer.calls.map(({ transaction }) => transaction))
      expect(answer.hasMore).toBe(page < 2)
      cursor = answer.nextCursor ?? undefined
    }
    expect(read.toSorted()).toEqual([...sent].toSorted())
  })

  test.each([{ cursor: 'x' }, { channelId: '0x12' }, { transaction: 'x' }])(
    'refuses what cannot be: %o',
    async (query) => {
      const { list } = await aCall()
      await expect(list(query)).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' })
    },
  )
})
