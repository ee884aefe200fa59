import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAudit } from '../audit/audit.ts'
import { openDirectory } from '../chains/directory.ts'
import { systemClock } from '../kernel/clock.ts'
import { systemRandom } from '../kernel/random.ts'
import { deleteWallet } from '../wallets/delete-wallet.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import { nativeUnitsPerUnit } from '../kernel/currency-tokens.ts'
import { readBalances } from '../ledger/store.ts'
import { writeOff } from '../payments/write-off.ts'
import { openTestLane, testNetwork, TOKEN } from '../payments/test-lane.ts'
import type { TestLane, TestOrder } from '../payments/test-lane.ts'
import { openModelChain } from '../payments/test-model-chain.ts'
import type { Mining, ModelChain } from '../payments/test-model-chain.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { findInBooks } from './books-store.ts'
import { findOnChain } from './chain.ts'

/** Of the token with 6 decimals that is a currency with 18, as on Arc and Stable. */
const UNIT = nativeUnitsPerUnit(6)
const WHOLE = 10n ** 18n
const FEE = 3n * 10n ** 14n + 7n

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

function withCurrency(chainId: number): readonly AssetProfile[] {
  return testNetwork(chainId).assets.map((each) =>
    each.asset === TOKEN ? { ...each, isCurrency: true } : each,
  )
}

/** A wallet with five whole units of a currency that is a token, too. */
async function aLane(chainId: number, assets = withCurrency(chainId)) {
  const model = openModelChain([{ asset: 'native', amount: 5n * WHOLE }], new Map([[TOKEN, UNIT]]))
  const lane = await openTestLane(database.store, model, chainId, {}, assets)
  return { model, lane }
}

const order = (asset: string, amount: bigint): Omit<TestOrder, 'at'> => ({
  ...{ asset, amount, feeCeiling: FEE },
})

const send = async (model: ModelChain, lane: TestLane, ...orders: Omit<TestOrder, 'at'>[]) => {
  const decisions = await lane.send(
    orders.map((each) => lane.prepare({ ...each, at: model.tip() })),
  )
  return decisions.map(({ kind }) => kind)
}

async function end(model: ModelChain, lane: TestLane, mining: Partial<Mining> = {}): Promise<void> {
  model.mine({ deposits: [], take: 9, feePercent: 100, reverts: false, ...mining })
  await lane.follow(1)
  await lane.finalize(model.tip().height)
}

/** What the doctor says, of the books by themselves and as held against the chain. */
async function broken(model: ModelChain, lane: TestLane) {
  const { balances, height } = model.tip()
  const chain = scriptedChain(lane.chain.config, {
    outcomes: lane.chain.outcomes,
    parseAddress: () => lane.wallet.address,
    balances: async (_, asked) => ({
      height,
      amounts: asked.map(({ asset }) => balances.get(asset) ?? 0n),
    }),
  })
  const { findings, unasked } = await findOnChain(database.store, chain)
  expect(unasked).toEqual([])
  return [...(await database.store.inTransaction('service', findInBooks)), ...findings]
}

const books = ({ wallet: { accountId, id: walletId } }: TestLane) =>
  database.store.inTransaction(accountId, (tx) => readBalances(tx, { accountId, walletId }))

/** What the release of the wallet's lane takes out of its books. */
const lift = (model: ModelChain, { chain, wallet }: TestLane) => {
  const amounts = chain.config.assets.map(({ asset }) => model.tip().balances.get(asset))
  return database.store.inTransaction('service', (tx) =>
    writeOff(tx, chain, wallet, { amounts, nowMilliseconds: Date.now() }),
  )
}

/** What stands in the way of deleting a wallet that the chain shows empty. */
async function leftToDelete({ chain: { config }, wallet }: TestLane): Promise<unknown> {
  const chain = scriptedChain(config, {
    parseAddress: () => wallet.address,
    balances: async (_, asked) => ({ height: 1n, amounts: asked.map(() => 0n) }),
  })
  const [clock, random] = [systemClock, systemRandom]
  const deps = { store: database.store, directory: openDirectory([chain]), clock }
  const nobody = { id: null, name: null, address: null, requestId: null }
  const actor = { kind: 'system', ...nobody } as const
  const refused = deleteWallet({ ...deps, audit: openAudit({ clock, random }) }, wallet, actor)
  return Object(await refused.catch((error: unknown) => Object(error)['details']))['left']
}

/** The wallet's one book, which says what the chain says. */
const inOneBook = async (model: ModelChain, lane: TestLane) => {
  expect(await books(lane)).toMatchObject([
    { asset: 'native', available: model.tip().balances.get('native'), held: 0n },
  ])
}

test('payments by either name and their fees leave one book, which is what the chain shows, and the doctor is content', async () => {
  const { model, lane } = await aLane(1)
  expect(await send(model, lane, order('native', WHOLE))).toEqual(['committed'])
  await end(model, lane)
  expect(await send(model, lane, order(TOKEN, 700_000n))).toEqual(['committed'])
  expect(await books(lane)).toMatchObject([{ asset: 'native', held: 700_000n * UNIT + FEE }])
  await end(model, lane, { feePercent: 60 })
  await inOneBook(model, lane)
  expect(model.tip().balances.get('native')).toBeLessThan(5n * WHOLE - WHOLE - 700_000n * UNIT)
  expect(await broken(model, lane)).toEqual([])
})

test('what comes in by either name is found once, by a payment of either', async () => {
  const { model, lane } = await aLane(2)
  const deposits = [
    { asset: TOKEN, amount: 300_000n },
    { asset: 'native', amount: 5n },
  ]
  await send(model, lane, order(TOKEN, 1n))
  await end(model, lane, { deposits })
  expect(await send(model, lane, order(TOKEN, 5_200_000n))).toEqual(['committed'])
  await end(model, lane, { deposits })
  expect(await send(model, lane, order('native', 1n))).toEqual(['committed'])
  await end(model, lane)
  await inOneBook(model, lane)
  expect(await broken(model, lane)).toEqual([])
})

test('the two names do not pay with one amount twice, nor does one leave no fee', async () => {
  const { model, lane } = await aLane(3)
  const both = [order(TOKEN, 3_000_000n), order('native', 3n * WHOLE), order(TOKEN, 1_000_000n)]
  expect(await send(model, lane, ...both)).toEqual(['committed', 'short', 'committed'])
  // Mined and read, but not final: what the books hold for them is not there once more.
  model.mine({ deposits: [], take: 9, feePercent: 100, reverts: false })
  await lane.follow(1)
  expect(await send(model, lane, order('native', WHOLE - 2n * FEE))).toEqual(['short'])
  expect(await send(model, lane, order(TOKEN, 900_000n))).toEqual(['committed'])
  await end(model, lane)
  expect(await send(model, lane, order(TOKEN, 100_000n))).toEqual(['short'])
  await inOneBook(model, lane)
  expect(await broken(model, lane)).toEqual([])
})

test('one that is reverted costs its fee and nothing else', async () => {
  const { model, lane } = await aLane(4)
  await send(model, lane, order(TOKEN, 2_000_000n))
  await end(model, lane, { reverts: true })
  expect(model.tip().balances.get('native')).toBe(5n * WHOLE - FEE)
  await inOneBook(model, lane)
  expect(await broken(model, lane)).toEqual([])
})

test('the doctor still finds money that is gone, once', async () => {
  const { model, lane } = await aLane(5)
  await send(model, lane, order(TOKEN, 1n))
  await end(model, lane)
  // The same key, used elsewhere.
  model.mine({
    ...{ deposits: [{ asset: TOKEN, amount: -500_000n }] },
    ...{ take: 0, feePercent: 100, reverts: false },
  })
  await lane.follow(1)
  const invariant = 'an idle wallet has on chain what the books say'
  const found = { invariant, subject: `${lane.wallet.address} native` }
  expect(await broken(model, lane)).toEqual([found])
  expect(await lift(model, lane)).toEqual([{ asset: 'native', amount: 500_000n * UNIT }])
  await inOneBook(model, lane)
  expect(await broken(model, lane)).toEqual([])
})

test('a payment that began when the token had books of its own ends in those, and what these say too much can be written off', async () => {
  const chainId = 6
  const assets = [...testNetwork(chainId).assets]
  const { model, lane } = await aLane(chainId, assets)
  await send(model, lane, order(TOKEN, 500_000n))
  assets.splice(0, assets.length, ...withCurrency(chainId))
  await end(model, lane)
  expect(await books(lane)).toMatchObject([
    { asset: TOKEN, available: 4_500_000n, held: 0n },
    { asset: 'native', available: 5n * WHOLE - FEE, held: 0n },
  ])
  const invariant = 'an idle wallet has on chain what the books say'
  const found = { invariant, subject: `${lane.wallet.address} native` }
  expect(await broken(model, lane)).toEqual([found])
  expect(await lift(model, lane)).toEqual([{ asset: 'native', amount: 500_000n * UNIT }])
  expect(await broken(model, lane)).toEqual([])
  expect(await leftToDelete(lane)).toMatchObject([{ asset: 'native' }])
  expect(await send(model, lane, order(TOKEN, 4_400_000n))).toEqual(['committed'])
  await end(model, lane)
  expect(await broken(model, lane)).toEqual([])
})

test('what a payment holds that began before is not there for another one, by either name, until it has ended', async () => {
  const chainId = 7
  const assets = [...testNetwork(chainId).assets]
  const { model, lane } = await aLane(chainId, assets)
  await send(model, lane, order(TOKEN, 3_000_000n))
  assets.splice(0, assets.length, ...withCurrency(chainId))
  const more = [order('native', 3n * WHOLE), order(TOKEN, 3_000_000n)]
  expect(await send(model, lane, ...more)).toEqual(['short', 'short'])
  model.mine({ deposits: [], take: 9, feePercent: 100, reverts: false })
  await lane.follow(1)
  expect(await send(model, lane, ...more)).toEqual(['short', 'short'])
  expect(await send(model, lane, order('native', WHOLE))).toEqual(['committed'])
  await end(model, lane)
  expect(await send(model, lane, ...more)).toEqual(['short', 'short'])
  expect(await books(lane)).toMatchObject([{ asset: TOKEN }, { asset: 'native', held: 0n }])
})
