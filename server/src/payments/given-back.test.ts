import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { findOnChain } from '../doctor/chain.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { readBalances } from '../ledger/store.ts'
import { guardLanes } from '../sender/guard.ts'
import { unhaltNetwork } from '../sender/halt-store.ts'
import { freezeLane, lockLane } from '../sender/lane-store.ts'
import { releaseLane } from '../sender/release-lane.ts'
import { attemptsToSend } from '../sender/transaction-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPaymentBook } from './advance.ts'
import { openTestLane } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'
import { CEILING, MINING, openModelRelease, SIGNER } from './test-model-release.ts'
import { writeOff } from './write-off.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const NOTHING = { ...MINING, take: 0 }
const VIOLATED = 'no network is stopped and no final block was replaced'

/** A wallet of 1,000 whose first payment failed in a final block that was replaced since, and whose second one waits behind it. */
async function givenBack(chainId: number) {
  const { store } = database
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, chainId)
  const { wallet } = lane
  const { network } = lane.chain.config
  const send = (amount: bigint) =>
    lane.send([lane.prepare({ asset: 'native', amount, feeCeiling: CEILING, at: model.tip() })])
  await send(100n)
  model.mine({ ...MINING, reverts: true })
  await lane.follow(1)
  await lane.finalize(model.tip().height)
  await send(200n)
  model.reorg(1, 0n, true)
  model.mine(NOTHING)
  await lane.follow(2)
  const books = async () => {
    const of = { accountId: wallet.accountId, walletId: wallet.id }
    const found = await store.inTransaction('service', (tx) => readBalances(tx, of))
    const native = found.find(({ asset }) => asset === 'native')
    return [native?.available, native?.held]
  }
  const { chain, nothingIn } = openModelRelease(lane, model)
  /** Bytes of nothing that a node has heard of, before what was sent to it at the same nonces. */
  const broadcast: Chain['broadcast'] = async (raws) =>
    raws.map((raw) => {
      model.replace(nothingIn(raw).transaction)
      return { kind: 'accepted' }
    })
  const freeze = () =>
    store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, wallet.address, 0n)
      await freezeLane(tx, network, wallet.address, 'by hand')
    })
  /** `said`: what the chain says of it, where that is not what the model shows now. */
  const release = async (said: Partial<Chain> = {}) => {
    const asked = { ...chain, broadcast, ...said }
    const { filled, after } = await releaseLane({
      ...{ store, chain: asked, address: wallet.address, clock },
      broadcaster: { broadcast: async (_, given) => asked.broadcast(given.map(({ raw }) => raw)) },
      signerOf: async () => ({ ...SIGNER, address: wallet.address }),
      killPoint: () => undefined,
      noted: async (tx) => {
        const amounts = [model.tip().balances.get('native') ?? 0n]
        await writeOff(tx, chain, wallet, { amounts, nowMilliseconds: clock.nowMilliseconds() })
      },
    })
    return { filled, after }
  }
  const frozen = async () =>
    (await store.inTransaction('service', (tx) => lockLane(tx, network, wallet.address, 0n)))
      .frozenReason
  const unhalt = () => store.inTransaction('service', (tx) => unhaltNetwork(tx, network))
  const statuses = async () => {
    const rows = await store.query<{ status: string; state: string; attempts: string }>(
      'test_statuses',
      `select p.status, t.state, (select count(*) from attempts where chain_transaction_id = t.id) as attempts
       from payments p join payment_transactions on payment_id = p.id
       join chain_transactions t on t.id = chain_transaction_id where p.network = $1 order by t.nonce`,
      [network],
    )
    return rows.map(({ status, state, attempts }) => `${status} ${state} ${attempts}`)
  }
  const finalize = async () => {
    await lane.follow(9)
    await lane.finalize(model.tip().height)
  }
  /** What the doctor says of this network's wallet, but for what was said of the replaced block. */
  const sound = async () => {
    const found = await store.inTransaction('service', findInBooks)
    expect(found.filter(({ invariant }) => invariant !== VIOLATED)).toEqual([])
    expect(await findOnChain(store, chain)).toEqual({ findings: [], unasked: [] })
  }
  const toSend = async () => {
    const since = { nowMilliseconds: clock.nowMilliseconds(), notSentSinceMilliseconds: 0 }
    const due = await store.inTransaction('service', (tx) => attemptsToSend(tx, network, since, 9))
    return due.map(({ nonce, number }) => [nonce, number])
  }
  const lease = await store.inTransaction('service', async (tx) => {
    const [row] = await tx.query<{ fence: string }>(
      'test_fence',
      'select fence from followers where network = $1',
      [network],
    )
    return { network, fence: BigInt(row?.fence ?? 0) }
  })
  const heldUp = new Map()
  const guard = () =>
    guardLanes(
      { chain, store, book: openPaymentBook({ clock, random }), log: openLog('silent') },
      { ...lease, finalizedHeight: 1n },
      new Map(),
      heldUp,
    )
  return {
    ...{ model, lane, chain, wallet, send, freeze, release, frozen, unhalt, statuses },
    ...{ finalize, books, sound, toSend, guard },
  }
}

describe('a nonce that a replaced final block gave back, where a payment had failed', () => {
  test('is taken by nothing of ours when its lane is released, and what waits behind it gets in', async () => {
    const place = await givenBack(83_001)
    const { model, freeze, release, unhalt, statuses, finalize, books, sound, toSend } = place
    await unhalt()
    await place.lane.follow(9)
    await freeze()
    expect(await statuses()).toEqual(['failed final 1', 'pending open 1'])
    expect(await release()).toEqual({ filled: [0n], after: 2n })
    expect(await statuses()).toEqual(['failed open 2', 'pending open 1'])
    // Stored before it was sent, and only the bytes of nothing are sent again.
    expect(await toSend()).toEqual([
      [0n, 2],
      [1n, 1],
    ])
    await sound()
    expect(await release()).toEqual({ filled: [], after: 2n })
    model.mine(MINING)
    await finalize()
    expect(await statuses()).toEqual(['failed final 2', 'settled final 1'])
    expect(model.tip().balances.get('native')).toBe(1_000n - CEILING - 200n - CEILING)
    await sound()
    // The fee of the failed one was booked, and its block is gone: what the chain has more is found by the next payment.
    expect(await place.send(1n)).toMatchObject([{ kind: 'committed' }])
    expect(await books()).toEqual([780n - 11n, 11n])
    await sound()
  })

  test('keeps its lane frozen while the network is halted', async () => {
    const { freeze, release, frozen, unhalt, statuses, lane } = await givenBack(83_003)
    await freeze()
    await expect(release()).rejects.toMatchObject({
      code: 'INVALID_PARAMETERS',
      message: expect.stringContaining(
        'The network is halted, and the node that was asked has nonce 0',
      ),
    })
    expect(await frozen()).toBe('by hand')
    expect(await statuses()).toEqual(['failed final 1', 'pending open 1'])
    await unhalt()
    await lane.follow(9)
    expect(await release()).toMatchObject({ filled: [0n] })
  })

  test('freezes its lane once the network goes on, at the second look that finds somebody waiting behind it', async () => {
    const { lane, release, frozen, unhalt, guard, model, finalize, statuses } =
      await givenBack(83_004)
    await unhalt()
    await lane.follow(9)
    await guard()
    expect(await frozen()).toBeNull()
    await guard()
    expect(await frozen()).toContain('gave back nonce 0 of this key')
    await release()
    await guard()
    await guard()
    expect(await frozen()).toBeNull()
    model.mine(MINING)
    await finalize()
    expect(await statuses()).toEqual(['failed final 2', 'settled final 1'])
  })

  test('survives another reorganisation of what took it', async () => {
    const place = await givenBack(83_005)
    const { model, lane, freeze, release, unhalt, statuses, finalize, sound } = place
    await unhalt()
    await lane.follow(9)
    await freeze()
    await release()
    model.mine(MINING)
    await lane.follow(9)
    expect(await statuses()).toEqual(['failed mined 2', 'confirmed mined 1'])
    model.reorg(1, 2n, true)
    model.mine(NOTHING)
    await lane.follow(9)
    await lane.follow(9)
    expect(await statuses()).toEqual(['failed open 2', 'pending open 1'])
    model.mine(MINING)
    await finalize()
    expect(await statuses()).toEqual(['failed final 2', 'settled final 1'])
    await sound()
  })

  test('is found in a block that was being read while its place was opened once more', async () => {
    const place = await givenBack(83_006)
    const { model, chain, lane, freeze, release, unhalt, statuses, finalize, sound } = place
    await unhalt()
    await lane.follow(9)
    await freeze()
    const [position, balances] = [
      await chain.lanePosition(place.wallet.address),
      await chain.balances(place.wallet.address, chain.config.assets),
    ]
    // Right behind the last look of the release what had failed gets into a block after all, and comes to nothing there.
    const before: Partial<Chain> = {
      lanePosition: async () => position,
      balances: async () => balances,
      outcomes: async (hashes) => hashes.map(() => ({ state: 'absent' })),
    }
    model.mine({ ...MINING, take: 1, reverts: true })
    await lane.follow(9, async () => {
      expect(await release(before)).toMatchObject({ filled: [0n] })
    })
    await lane.follow(9)
    expect(await statuses()).toEqual(['failed mined 2', 'pending open 1'])
    model.mine(MINING)
    await finalize()
    expect(await statuses()).toEqual(['failed final 2', 'settled final 1'])
    await sound()
  })

  // The last: the doctor says for good that they got in.
  test('is no way for what had failed to be paid by us: where those bytes get in all the same, the doctor says so', async () => {
    const place = await givenBack(83_002)
    const { model, freeze, release, unhalt, statuses, finalize } = place
    await unhalt()
    await place.lane.follow(9)
    await freeze()
    const nowhere: Chain['broadcast'] = async (raws) => raws.map(() => ({ kind: 'accepted' }))
    await release({ broadcast: nowhere })
    model.mine(MINING)
    await finalize()
    expect(await statuses()).toEqual(['failed final 2', 'settled final 1'])
    const found = await database.store.inTransaction('service', findInBooks)
    expect(found.map(({ invariant }) => invariant)).toContain(
      'a payment and its place tell the same story',
    )
    expect((await findOnChain(database.store, place.chain)).findings).toMatchObject([
      { invariant: 'an idle wallet has on chain what the books say' },
    ])
  })
})
