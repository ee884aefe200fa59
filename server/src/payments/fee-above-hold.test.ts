import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findInBooks } from '../doctor/books-store.ts'
import { findOnChain } from '../doctor/chain.ts'
import { readBalances } from '../ledger/store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openTestLane, TOKEN } from './test-lane.ts'
import { openModelChain } from './test-model-chain.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const CEILING = 11n
/** One payment of a block, whose network takes 10 more than was held for it. */
const DEAR = { deposits: [], take: 1, feePercent: 200, reverts: false }
const ABOVE = 10n
const NOTHING = { ...DEAR, take: 0 }

async function aWallet(chainId: number, native: bigint) {
  const { store } = database
  const model = openModelChain([
    { asset: 'native', amount: native },
    { asset: TOKEN, amount: 100n },
  ])
  const lane = await openTestLane(store, model, chainId)
  const { wallet } = lane
  const send = (amount: bigint, asset = 'native') =>
    lane.send([lane.prepare({ asset, amount, feeCeiling: CEILING, at: model.tip() })])
  const settle = async (mining: typeof DEAR) => {
    model.mine(mining)
    await lane.follow(9)
    await lane.finalize(model.tip().height)
  }
  const books = async () => {
    const of = { accountId: wallet.accountId, walletId: wallet.id }
    const found = await store.inTransaction('service', (tx) => readBalances(tx, of))
    const book = found.find(({ asset }) => asset === 'native')
    return [book?.available, book?.held]
  }
  const onChain = () => model.tip().balances.get('native')
  const chain = {
    ...lane.chain,
    parseAddress: () => wallet.address,
    balances: async (_: unknown, assets: readonly { readonly asset: string }[]) => ({
      height: model.tip().height,
      amounts: assets.map(({ asset }) => model.tip().balances.get(asset) ?? 0n),
    }),
    lanePosition: async () => {
      const { nonce, height } = model.tip()
      return { latest: nonce, finalized: nonce, finalizedHeight: height }
    },
  }
  const sound = async () => {
    expect(await store.inTransaction('service', findInBooks)).toEqual([])
    expect(await findOnChain(store, chain)).toEqual({ findings: [], unasked: [] })
  }
  return { model, send, settle, books, onChain, sound }
}

describe('what a network takes above the hold of a payment', () => {
  test('leaves the books whole, once', async () => {
    const { send, settle, books, onChain, sound } = await aWallet(82_001, 1_000n)
    await send(100n)
    await settle(DEAR)
    expect(await books()).toEqual([1_000n - 100n - CEILING - ABOVE, 0n])
    expect(onChain()).toBe(879n)
    await sound()
  })

  test('leaves them whole where the payment came to nothing', async () => {
    const { send, settle, books, onChain, sound } = await aWallet(82_002, 1_000n)
    await send(40n, TOKEN)
    await settle({ ...DEAR, reverts: true })
    expect([await books(), onChain()]).toEqual([[1_000n - CEILING - ABOVE, 0n], 979n])
    await sound()
  })

  test('is of native currency, whatever the payment moves', async () => {
    const { send, settle, books, onChain, sound } = await aWallet(82_003, 1_000n)
    await send(40n, TOKEN)
    await settle(DEAR)
    expect([await books(), onChain()]).toEqual([[979n, 0n], 979n])
    await sound()
  })

  test('is taken from what other payments give back, and nothing is sent before they have', async () => {
    const { model, send, settle, books, onChain, sound } = await aWallet(82_004, 222n)
    await send(100n)
    await send(100n)
    expect(await books()).toEqual([0n, 222n])
    await settle(DEAR)
    expect([await books(), onChain()]).toEqual([[-ABOVE, 111n], 101n])
    await sound()
    const short = { kind: 'short', funds: { asset: 'native', required: 12n, available: 0n } }
    expect(await send(1n)).toMatchObject([short])
    expect(await books()).toEqual([-ABOVE, 111n])

    // The chain itself has too little for the other one, until money comes.
    await settle(DEAR)
    expect(await books()).toEqual([-ABOVE, 111n])
    model.mine({ ...NOTHING, deposits: [{ asset: 'native', amount: 12n }] })
    await settle({ ...DEAR, feePercent: 0 })
    expect(onChain()).toBe(12n)
    expect(await books()).toEqual([0n, 0n])
    await sound()
    // What came in is found by the next payment, as any deposit.
    expect(await send(1n)).toMatchObject([{ kind: 'committed' }])
    expect(await books()).toEqual([0n, 12n])
    await sound()
  })

  test('is filled up by what comes in, before anything of that is sent', async () => {
    const { model, send, settle, books, sound } = await aWallet(82_005, 222n)
    await send(100n)
    await send(100n)
    await settle(DEAR)
    model.mine({ ...NOTHING, deposits: [{ asset: 'native', amount: 30n }] })
    await settle(NOTHING)
    const left = 30n - ABOVE - CEILING
    expect(await send(left + 1n)).toMatchObject([{ kind: 'short', funds: { available: 20n } }])
    expect(await send(left)).toMatchObject([{ kind: 'committed' }])
    expect(await books()).toEqual([0n, 131n])
    await sound()
  })
})
