import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { findOnChain } from '../doctor/chain.ts'
import { systemClock as clock } from '../kernel/clock.ts'
import { systemRandom as random } from '../kernel/random.ts'
import { readBalances } from '../ledger/store.ts'
import { storeFilling } from '../sender/fill-gap.ts'
import { unhaltNetwork } from '../sender/halt-store.ts'
import { freezeLane, lockLane, moveIdleLane } from '../sender/lane-store.ts'
import { releaseLane } from '../sender/release-lane.ts'
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

/** A lane of 1,000 whose payment of 100 waits behind two nonces that nobody has used. */
async function aGap(chainId: number) {
  const { store } = database
  const model = openModelChain([{ asset: 'native', amount: 1_000n }])
  const lane = await openTestLane(store, model, chainId)
  const { wallet } = lane
  const { network } = lane.chain.config
  const send = (amount: bigint, feeCeiling = CEILING) =>
    lane.send([lane.prepare({ asset: 'native', amount, feeCeiling, at: model.tip() })])
  await store.inTransaction('service', (tx) => lockLane(tx, network, wallet.address, 2n))
  await send(100n)
  const opened = openModelRelease(lane, model)
  const chain: Chain = {
    ...opened.chain,
    broadcast: async (raws) =>
      raws.map((raw) => {
        const { terms, transaction } = opened.nothingIn(raw)
        model.pool(transaction)
        expect(terms).toMatchObject({ to: wallet.address })
        return { kind: 'accepted' }
      }),
  }
  const seen = () => ({
    amounts: [model.tip().balances.get('native') ?? 0n],
    nowMilliseconds: clock.nowMilliseconds(),
  })
  const release = async () => {
    await store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, wallet.address, 0n)
      await freezeLane(tx, network, wallet.address, 'used elsewhere')
    })
    let written: unknown
    const { filled } = await releaseLane({
      ...{ store, chain, address: wallet.address, clock },
      broadcaster: { broadcast: async (_, sent) => chain.broadcast(sent.map(({ raw }) => raw)) },
      signerOf: async () => ({ ...SIGNER, address: wallet.address }),
      killPoint: () => undefined,
      noted: async (tx) => void (written = await writeOff(tx, chain, wallet, seen())),
    })
    return { filled, written }
  }
  /** Fills the nonce that the lane would sign next. */
  const fill = async (nonce: bigint) => {
    const native = chain.config.assets.find(({ asset }) => asset === 'native')
    if (native === undefined) throw new Error('no native currency')
    const drafted = await chain.draft({
      ...{ sender: wallet.address, recipient: wallet.address, amount: baseUnits(0n) },
      ...{ asset: native, commitment: new Uint8Array(32) },
    })
    if (!drafted.ok) throw new Error('no draft')
    const { terms, feeCeiling } = drafted.draft
    const signer = { ...SIGNER, address: wallet.address }
    const filling = { nonces: new Set([nonce]), terms, feeCeiling, signer }
    const what = { filling, missing: [nonce], nowMilliseconds: clock.nowMilliseconds() }
    const stored = await store.inTransaction('service', async (tx) => {
      await moveIdleLane(tx, network, wallet.address, nonce + 1n)
      return await storeFilling(tx, chain, wallet.address, what)
    })
    await chain.broadcast(stored.map(({ raw }) => raw))
  }
  const books = async () => {
    const of = { accountId: wallet.accountId, walletId: wallet.id }
    const found = await store.inTransaction('service', (tx) => readBalances(tx, of))
    const native = found.find(({ asset }) => asset === 'native')
    return [native?.available, native?.held]
  }
  /** What the doctor says: nothing, but for what it is told to expect. */
  const sound = async () => {
    expect(await store.inTransaction('service', findInBooks)).toEqual([])
    expect(await findOnChain(store, chain)).toEqual({ findings: [], unasked: [] })
  }
  const finalize = () => lane.finalize(model.tip().height)
  return { model, lane, wallet, network, send, fill, release, books, sound, finalize }
}

describe('what fills a nonce that nobody had used', () => {
  test('takes its fee out of the books of the wallet when it is final, and not before', async () => {
    const { model, lane, release, books, sound, finalize } = await aGap(81_001)
    expect(await books()).toEqual([890n, 110n])
    await sound()
    expect(await release()).toEqual({ filled: [0n, 1n], written: [] })
    await sound()
    model.mine(MINING)
    await lane.follow(1)
    expect(model.tip().nonce).toBe(3n)
    expect(await books()).toEqual([890n, 110n])
    await sound()
    model.reorg(1, 1n, true)
    await lane.follow(9)
    expect(await books()).toEqual([890n, 110n])
    await sound()
    model.mine({ ...MINING, feePercent: 0 })
    await lane.follow(9)
    await finalize()
    expect(await books()).toEqual([1_000n - 100n - 3n, 0n])
    expect(model.tip().balances.get('native')).toBe(897n)
    await sound()
    expect(await release()).toEqual({ filled: [], written: [] })
  })

  test('is booked once, whoever says once more that it is final', async () => {
    const { model, lane, network, release, books, sound, finalize } = await aGap(81_002)
    await release()
    model.mine(MINING)
    await lane.follow(1)
    await finalize()
    const after = await books()
    expect(after).toEqual([870n, 0n])
    const places = await database.store.query<{
      hash: Parameters<typeof lane.chain.outcomes>[0][number]
    }>(
      'test_filled',
      `select mined_hash as hash from chain_transactions t join gap_fillings f on f.chain_transaction_id = t.id where t.network = $1`,
      [network],
    )
    expect(places).toHaveLength(2)
    const again = places.map(({ hash }) => ({
      ...{ network, hash, height: 2n, blockHash: null, succeeded: true, paymentIds: [] },
      feePaid: baseUnits(CEILING),
    }))
    const book = openPaymentBook({ clock, random })
    await Promise.all(
      [1, 2].map(() => database.store.inTransaction('service', (tx) => book.final(tx, again))),
    )
    expect(await books()).toEqual(after)
    await sound()
  })

  test('keeps what its fee may take from what is sent meanwhile', async () => {
    const { model, lane, send, release, books, sound, finalize } = await aGap(81_003)
    await release()
    const kinds = async (amount: bigint) => (await send(amount)).map(({ kind }) => kind)
    expect(await kinds(890n - 2n * CEILING - CEILING + 1n)).toEqual(['short'])
    expect(await kinds(890n - 2n * CEILING - CEILING)).toEqual(['committed'])
    model.mine(MINING)
    await lane.follow(1)
    expect(model.tip().nonce).toBe(4n)
    await finalize()
    expect(await books()).toEqual([0n, 0n])
    expect(model.tip().balances.get('native')).toBe(0n)
    await sound()
  })

  test('is no money that came in, for a node that has not seen it yet', async () => {
    const { model, lane, release, books, sound, finalize } = await aGap(81_004)
    await release()
    const before = model.tip()
    model.mine(MINING)
    await lane.follow(1)
    await finalize()
    await lane.send([lane.prepare({ asset: 'native', amount: 1n, feeCeiling: 1n, at: before })])
    expect(await books()).toEqual([868n, 2n])
    await sound()
  })

  test('is written off by nobody before it is booked, and the doctor waits for it', async () => {
    const { model, lane, wallet, fill, release, books, sound, finalize } = await aGap(81_005)
    await release()
    model.mine(MINING)
    await lane.follow(1)
    await finalize()
    // Nothing else of the wallet is under way.
    await fill(3n)
    model.mine(MINING)
    await lane.follow(1)
    expect(model.tip().balances.get('native')).toBe(860n)
    const seen = { amounts: [860n], nowMilliseconds: 0 }
    const { store } = database
    expect(
      await store.inTransaction('service', (tx) => writeOff(tx, lane.chain, wallet, seen)),
    ).toEqual([])
    await sound()
    await finalize()
    expect(await books()).toEqual([860n, 0n])
    await sound()
  })

  test('was paid by money that the books did not know yet where they had too little', async () => {
    const { model, lane, send, release, books, sound, finalize } = await aGap(81_006)
    await send(880n)
    expect(await books()).toEqual([0n, 1_000n])
    model.mine({ ...MINING, take: 0, deposits: [{ asset: 'native', amount: 50n }] })
    await release()
    model.mine(MINING)
    await lane.follow(9)
    await finalize()
    expect(model.tip().nonce).toBe(4n)
    expect(await books()).toEqual([-2n * CEILING, 0n])
    expect(model.tip().balances.get('native')).toBe(30n)
    await sound()
    // The rest of it is found by the next payment, as any deposit.
    await lane.send([
      lane.prepare({ asset: 'native', amount: 1n, feeCeiling: 1n, at: model.tip() }),
    ])
    expect(await books()).toEqual([28n, 2n])
    await sound()
  })

  // The last: the doctor says for good that its block was replaced.
  test('stays booked as it was where its final block is replaced, and what the chain shows until it is in again is its own', async () => {
    const { model, lane, network, send, release, books, finalize } = await aGap(81_007)
    await release()
    model.mine(MINING)
    await lane.follow(1)
    await finalize()
    expect(await books()).toEqual([870n, 0n])
    model.reorg(1, 0n, true)
    model.mine({ ...MINING, take: 0 })
    await lane.follow(2)
    await database.store.inTransaction('service', (tx) => unhaltNetwork(tx, network))
    await lane.follow(2)
    expect(await send(861n)).toMatchObject([{ kind: 'short' }])
    expect(await books()).toEqual([870n, 0n])
    model.mine({ ...MINING, take: 3 })
    await lane.follow(3)
    await finalize()
    expect(await books()).toEqual([870n, 0n])
    expect(model.tip().balances.get('native')).toBe(870n)
    const findings = await database.store.inTransaction('service', findInBooks)
    expect(findings.map(({ invariant }) => invariant)).toEqual([
      'no network is stopped and no final block was replaced',
    ])
  })
})
