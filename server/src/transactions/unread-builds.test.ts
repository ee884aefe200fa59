import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Chain } from '../chains/chain.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { SelfCustody, Sighting } from '../chains/self-custody.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { takeLease } from '../sender/follower-store.ts'
import { readUntoldBuilds } from '../sender/read-untold-builds.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { write } from '../store/test-write.ts'
import type { BuildResult } from './build-transaction.ts'
import { openBuildBook } from './follow-builds.ts'
import { judgeSettlement } from './judge.ts'
import { unreadBuildFigures } from './unread-store.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

let database: TestDatabase
let scene: Scene
let built: BuildResult
/** What the module, where there is one, reads in the block of the build. */
let sale: Sighting
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store, 'solana')
  built = await scene.build()
  const tradeId = newId(systemRandom, 'trd')
  const statement = 'update builds set trade_id = $2 where payment_id = $1'
  await write(database.store, 'test_trade', statement, [built.build.paymentId, tradeId])
  await scene.mine('a', 101, 1)
  sale = scene.paid(built)
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

const inTx = <Result>(work: (tx: Tx) => Promise<Result>) =>
  database.store.inTransaction('service', work)
const status = async () => (await scene.record(built)).status

/** The book of an instance that has just been started, with the venue's module or without it. */
function started(has: 'module' | 'none') {
  const none = async () => undefined
  const unreadable = async (_: Tx, __: string, paymentIds: readonly PaymentId[]) =>
    new Set(has === 'module' ? [] : paymentIds)
  return openBuildBook({ ...scene.deps, trades: { mined: none, vanished: none, unreadable } })
}
type Book = ReturnType<typeof started>

async function sight(book: Book, sighting: Sighting): Promise<void> {
  await inTx((tx) => book.sighted(tx, scene.chain.config.network, [sighting]))
}

/** Its lifetime is over, on every node and in blocks that were read. */
async function outlive(book: Book): Promise<void> {
  scene.script.finalHeights = [1_000n]
  scene.later(61_000)
  await scene.watch()
  await finalize(book)
}

async function finalize(book: Book): Promise<void> {
  await inTx((tx) => book.final(tx, scene.chain.config.network, 1_000n, 10))
}

/** Looks again at what nobody could read; now its block shows this. */
async function lookAgain(book: Book, shown: Sighting): Promise<number> {
  let asked = 0
  const sightings: SelfCustody['sightings'] = async (blocks) => {
    asked += 1
    expect(blocks).toMatchObject([{ height: sale.height, hash: sale.blockHash }])
    return [shown]
  }
  const chain: Chain = {
    ...scene.chain,
    selfCustody: { ...scene.chain.selfCustody, sightings } as SelfCustody,
  }
  const cursor = await inTx((tx) => takeLease(tx, chain.config.network, 'one', 60_000))
  if (cursor === undefined) throw new Error('no lease')
  const log = openLog('silent')
  await readUntoldBuilds({ chain, store: database.store, builds: book, log }, cursor)
  return asked
}

/** As it looks without its module, or where that fails: what its program did is in no transfer. */
const unread = () => ({ ...sale, transfers: [] })

test('a sale that an instance without its module cannot read is pending when its time is over, and paid once the module is there', async () => {
  const without = started('none')
  await sight(without, unread())
  await outlive(without)
  expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: null })
  expect(await lookAgain(started('none'), unread())).toBe(0)
  await finalize(started('module'))
  expect(await status()).toBe('pending')
  const having = started('module')
  expect(await lookAgain(having, sale)).toBe(1)
  expect(await status()).toBe('confirmed')
  await finalize(having)
  expect(await status()).toBe('settled')
  expect(await lookAgain(having, sale)).toBe(0)
})

test('where the module is there and fails at it, the sale is pending until it does not', async () => {
  const book = started('module')
  await sight(book, { ...unread(), isUntold: true })
  await outlive(book)
  expect(await lookAgain(book, { ...unread(), isUntold: true })).toBe(1)
  await finalize(book)
  expect(await status()).toBe('pending')
  expect(await lookAgain(book, sale)).toBe(1)
  expect(await status()).toBe('confirmed')
})

test('what turns out to be something else than was built is over like any other', async () => {
  const book = started('none')
  await sight(book, unread())
  await outlive(book)
  const having = started('module')
  await lookAgain(having, unread())
  expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: 'other_terms' })
  await finalize(having)
  expect(await status()).toBe('expired')
})

test('one that failed did nothing, whoever reads it, and one whose block is gone holds nothing up', async () => {
  const book = started('none')
  await sight(book, { ...unread(), succeeded: false })
  await sight(book, { ...unread(), height: 105n, blockHash: 'a105' })
  await inTx((tx) => book.undone(tx, scene.chain.config.network, 104n))
  await outlive(book)
  expect(await status()).toBe('expired')
})

test('a plain payment of which no node tells what it did is not over, and paid once one does', async () => {
  const statement = 'update builds set trade_id = null where payment_id = $1'
  await write(database.store, 'test_plain', statement, [built.build.paymentId])
  const book = started('module')
  const untold = { ...unread(), isUntold: true as const }
  await sight(book, untold)
  const { network } = scene.chain.config
  const counted = () => inTx((tx) => unreadBuildFigures(tx, [network, 'another']))
  const none = { network: 'another', unread: 0 }
  expect(await counted()).toEqual([{ network, unread: 1 }, none])
  await outlive(book)
  expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: null })
  expect(await lookAgain(book, untold)).toBe(1)
  await finalize(book)
  expect(await status()).toBe('pending')
  expect(await counted()).toEqual([{ network, unread: 1 }, none])
  expect(await lookAgain(book, sale)).toBe(1)
  expect(await counted()).toEqual([{ network, unread: 0 }, none])
  await finalize(book)
  expect(await status()).toBe('settled')
})

test('a settlement of which no node tells what it did is neither settled nor failed', () => {
  const proofKey = 'the message that was signed' as ProofKey
  const build = { ...built.build, proofKey }
  const settled = { ...sale, proofKey }
  expect(judgeSettlement(build, settled)?.kind).toBe('settled')
  const untold = { ...unread(), proofKey, isUntold: true as const }
  expect(judgeSettlement(build, untold)).toEqual({ kind: 'unread' })
  expect(judgeSettlement(build, { ...untold, succeeded: false })).toEqual({ kind: 'failed' })
  expect(judgeSettlement({ ...build, proofKey: 'another' as ProofKey }, untold)).toBeUndefined()
})
