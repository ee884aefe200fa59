import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../chains/chain.ts'
import type { Chain, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { SelfCustody, Sighting } from '../chains/self-custody.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { findToLookAt } from '../doctor/look-at.ts'
import { newId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import { lockBalances } from '../ledger/store.ts'
import { bookHolds } from '../payments/hold.ts'
import type { Payment } from '../payments/payment.ts'
import { findPayment, insertPayments } from '../payments/store.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { EVM } from '../payments/test-records.ts'
import type { BuildBook, SightedPlace } from '../sender/build-book.ts'
import { beginFollowing, LeaseLost, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { readUntoldBuilds } from '../sender/read-untold-builds.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Tx } from '../store/postgres.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { bothBooks, openPurchaseBook } from './book.ts'
import { unreadPurchaseFigures } from './doubt-store.ts'
import { countSilent, insertPurchase } from './store.ts'
import { noteDead, silentPurchases } from './live-store.ts'

const FIRST_CHAIN = 74_600
let chains = 0
const START = Date.UTC(2026, 8, 21)
const AMOUNT = baseUnits(100n)
const BLOCK = { height: 6n, blockHash: 'a6' }
const LONG = limits.purchaseDoubtSecondsMax

const DOUBTED = { succeeded: true, isUntold: true, isFailureDoubted: true } as const
const FAILED = { succeeded: false } as const
const PAID = { succeeded: true } as const

/** What stands beside purchases in a service, and has untold places, too. */
const besideOf = (places: () => readonly SightedPlace[]): BuildBook => ({
  hasLive: async () => false,
  watched: async () => ({ senders: new Set(), commitments: new Set() }),
  hold: async () => undefined,
  sighted: async () => undefined,
  untold: { places: async () => [places()], told: async () => undefined },
  undone: async () => undefined,
  final: async () => 0,
})

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const inService = <T>(work: (tx: Tx) => Promise<T>) => database.store.inTransaction('service', work)

/** A purchase with its hold, of which the block after the first one holds the bytes; `says`: what the nodes say of these when they are asked again. */
async function aPurchase() {
  const { store } = database
  chains += 1
  const config = testNetwork(FIRST_CHAIN + chains)
  const { network } = config
  const wallet = await makeWallet(store)
  const { accountId } = wallet
  const [paymentId, key] = [newId(systemRandom, 'pay'), proofKey(newId(systemRandom, 'pay'))]
  const hash = `tx${chains}` as TransactionHash
  const payment: Payment = {
    ...{ id: paymentId, accountId, type: 'sent', walletId: wallet.id, network, asset: TOKEN },
    ...{ amount: AMOUNT, decimals: 6, sender: wallet.address, recipient: RECIPIENT },
    ...{ resource: 'https://shop.example/', metadataText: null, priorityFee: null },
    ...{ feeCeiling: baseUnits(0n), commitment: null, status: 'pending', sandbox: true },
    ...{ finalityViolated: false, transactionHash: null, blockHeight: null, logIndex: null },
    ...{ feePaid: null, failure: null, createdAtMilliseconds: START },
    ...{ confirmedAtMilliseconds: null, settledAtMilliseconds: null },
  }
  const purchase = {
    ...{ paymentId, accountId, walletId: wallet.id, network, proofKey: key, looks: 0 },
    ...{ url: 'https://shop.example/', requestDigest: systemRandom.bytes(32) },
    stored: { token: TOKEN, from: wallet.address, to: RECIPIENT, value: `${AMOUNT}` },
    ...{ validBeforeSeconds: null, lastValidBlockHeight: 300n, feePayer: EVM, sinceHeight: 1n },
    ...{ headerName: 'X-PAYMENT' as const, header: 'proof', askingUntilMilliseconds: null },
    ...{ shown: 0, answer: null, isDelivered: false },
  }
  await inService((tx) => beginFollowing(tx, network, { height: 5n, hash: 'a5' }))
  await store.inTransaction(accountId, async (tx) => {
    await insertPayments(tx, [payment])
    const funds = [{ asset: TOKEN, amount: 250n, paymentId }]
    await bookHolds(
      tx,
      { wallet, config: { network, assets: [] }, nowMilliseconds: START },
      funds,
      [payment],
    )
    await insertPurchase(tx, purchase, START)
  })
  let now = START
  let says: Partial<Sighting> | 'nothing' = DOUBTED
  let asked = 0
  /** Of what stands beside it, in blocks that no node keeps any more. */
  let gone: readonly SightedPlace[] = []
  const lines: string[] = []
  const log = openLog('info', { write: (line: string) => void lines.push(line) })
  const clock = { nowMilliseconds: () => now, sleep: async () => undefined }
  /** As a process that has just been started has it. */
  const book = () => openPurchaseBook({ clock, log })
  const sighting = (change: Partial<Sighting>): Sighting => ({
    ...{ transactionHash: hash, ...BLOCK, succeeded: true, sender: EVM, nonce: null },
    ...{ commitments: [], transfers: [], isPlain: false, feePaid: baseUnits(0n) },
    ...{ proofKey: key, ...change },
  })
  const sightings: SelfCustody['sightings'] = async ([block], watched) => {
    if (block?.transactionHashes[0] !== hash) throw new NodeFailure('its block is cleaned up')
    asked += 1
    const { cosigners } = await watched({ senders: [], commitments: [], cosigned: [EVM] })
    expect([...(cosigners ?? [])]).toEqual([wallet.address])
    expect(block).toMatchObject({ height: BLOCK.height, hash: BLOCK.blockHash })
    if (says === 'nothing') throw new NodeFailure('nobody answers')
    return [sighting(says)]
  }
  const chain: Chain = scriptedChain(config, {
    selfCustody: { sightings } as Partial<SelfCustody> as SelfCustody,
  })
  const lease = async (owner: string, milliseconds = 60_000) => {
    const cursor = await inService((tx) => takeLease(tx, network, owner, milliseconds))
    if (cursor === undefined) throw new Error('no lease')
    return cursor
  }
  const mine = async (height: bigint, blockHash: string) => {
    const cursor = await lease('one')
    const block = { height, hash: blockHash, parentHash: cursor.blockHash, timeMilliseconds: 0 }
    await inService((tx) => storeBlocks(tx, cursor, [{ ...block, transactionHashes: [] }]))
  }
  await mine(BLOCK.height, BLOCK.blockHash)
  return {
    ...{ paymentId, network, lines, mine, lease },
    lose: (places: readonly SightedPlace[]) => void (gone = places),
    sight: (change: Partial<Sighting>) =>
      inService((tx) => book().sighted(tx, network, [sighting(change)])),
    /** Asks again so many seconds later, by a process of its own: how often a node was asked, and what the payment says then. */
    ask: async (
      seconds: number,
      answer: typeof says,
      cursor?: Awaited<ReturnType<typeof lease>>,
    ) => {
      now += seconds * 1000
      ;[says, asked] = [answer, 0]
      const held = cursor ?? (await lease('one'))
      await readUntoldBuilds(
        {
          chain,
          store,
          builds: bothBooks(
            besideOf(() => gone),
            book(),
          ),
          log,
        },
        held,
      )
      return asked
    },
    undone: (height: bigint) => inService((tx) => book().undone(tx, network, height)),
    final: (height = BLOCK.height) => inService((tx) => book().final(tx, network, height, 10)),
    /** What a look finds that is long over, as one whose lifetime has ended. */
    outlive: () =>
      inService(async (tx) => {
        const due = await silentPurchases(tx, network, Date.UTC(2100, 0))
        await noteDead(tx, [{ paymentId, height: BLOCK.height }])
        return due.length
      }),
    silent: () => inService((tx) => countSilent(tx, { accountId, network, url: purchase.url }, 10)),
    state: () =>
      store.inTransaction(accountId, async (tx) => {
        const { status } = (await findPayment(tx, accountId, paymentId)) ?? {}
        const place = { accountId, walletId: wallet.id, network, assets: [TOKEN] }
        const { available, held } = (await lockBalances(tx, place)).get(TOKEN) ?? {}
        return `${status}: ${available} and ${held} held`
      }),
    /** As the metrics say it. */
    counted: async () =>
      (await inService((tx) => unreadPurchaseFigures(tx, ['another', network])))[1]?.unread,
    named: async (seconds: number) => {
      const at = { ...clock, nowMilliseconds: () => START + seconds * 1000 }
      return (await findToLookAt(store, at)).filter((each) => each.network === network)
    },
  }
}

const aside = async (paymentId: string) =>
  (await inService(findInBooks)).filter(({ subject }) => subject.includes(paymentId))

const PENDING = 'pending: 150 and 100 held'
const SETTLED = 'settled: 150 and 0 held'
const EXPIRED = 'expired: 250 and 0 held'

describe('a purchase in a block of which the nodes contradict each other whether it failed', () => {
  test('is not dead, however old it is, and paid once when a node tells that it did not', async () => {
    const { paymentId, sight, outlive, final, state, ask, mine, counted } = await aPurchase()
    await sight(DOUBTED)
    expect(await outlive()).toBe(0)
    await final()
    expect(await state()).toBe(PENDING)
    expect(await aside(paymentId)).toEqual([])
    expect(await ask(limits.purchaseDoubtSecondsMin - 1, PAID)).toBe(0)
    expect(await ask(1, DOUBTED)).toBe(1)
    await final()
    expect(await state()).toBe(PENDING)
    expect(await ask(LONG, PAID)).toBe(1)
    expect(await state()).toBe('confirmed: 150 and 100 held')
    expect(await aside(paymentId)).toEqual([])
    await mine(7n, 'a7')
    await final(7n)
    expect(await state()).toBe(SETTLED)
    await final(7n)
    expect(await ask(LONG, FAILED)).toBe(0)
    expect(await state()).toBe(SETTLED)
    expect(await counted()).toBe(0)
    expect(await aside(paymentId)).toEqual([])
  })

  test('is over, and its money free, when a node tells that it failed', async () => {
    const { paymentId, sight, final, state, ask } = await aPurchase()
    await sight(DOUBTED)
    expect(await ask(LONG, FAILED)).toBe(1)
    expect(await state()).toBe(PENDING)
    await final()
    expect(await state()).toBe(EXPIRED)
    expect(await ask(LONG, PAID)).toBe(0)
    await final()
    expect(await state()).toBe(EXPIRED)
    expect(await aside(paymentId)).toEqual([])
  })

  test('is asked for less and less often, and put aside for a person after the last answer that tells no more', async () => {
    const { paymentId, sight, ask, final, state, lines, named, counted } = await aPurchase()
    expect(await counted()).toBe(0)
    await sight(DOUBTED)
    expect(await named(limits.foundUnseenSeconds - 1)).toEqual([])
    expect(await named(limits.foundUnseenSeconds)).toMatchObject([
      { nonce: 'purchase', hash: `tx${chains}`, since: '2026-09-21T00:00:00.000Z' },
    ])
    let pause: number = limits.purchaseDoubtSecondsMin
    for (let asks = 1; asks < limits.purchaseDoubtAsksMax; asks += 1) {
      expect(await ask(pause - 1, DOUBTED)).toBe(0)
      expect(await ask(1, DOUBTED)).toBe(1)
      expect(await aside(paymentId)).toEqual([])
      pause = Math.min(pause * 2, LONG)
    }
    expect(await counted()).toBe(1)
    expect(await ask(pause, DOUBTED)).toBe(1)
    expect(await aside(paymentId)).toHaveLength(1)
    expect(await counted()).toBe(1)
    expect(lines.filter((line) => line.includes('put aside for a person'))).toHaveLength(1)
    expect(await ask(10 * LONG, PAID)).toBe(0)
    await final()
    expect(await state()).toBe(PENDING)
    expect(await named(limits.foundUnseenSeconds)).toEqual([])
  })

  test('is not put aside by questions that nobody answers, nor called anything', async () => {
    const { paymentId, sight, ask, final, state } = await aPurchase()
    await sight(DOUBTED)
    for (let asks = 0; asks < 2 * limits.purchaseDoubtAsksMax; asks += 1) {
      expect(await ask(LONG, 'nothing')).toBe(1)
    }
    // The first that answers again is one answer, however often nobody did.
    expect(await ask(LONG, DOUBTED)).toBe(1)
    await final()
    expect(await state()).toBe(PENDING)
    expect(await aside(paymentId)).toEqual([])
    // By a clock that was set back, too.
    expect(await ask(-100 * LONG, PAID)).toBe(1)
    await final()
    expect(await state()).toBe(SETTLED)
  })

  test('is asked for whatever no node keeps any more of what stands beside it', async () => {
    const { sight, ask, final, state, lose } = await aPurchase()
    await sight(DOUBTED)
    lose(
      ['gone1', 'gone2', 'gone3'].map((each) => ({
        transactionHash: each as TransactionHash,
        ...BLOCK,
      })),
    )
    expect(await ask(LONG, PAID)).toBe(1)
    await final()
    expect(await state()).toBe(SETTLED)
  })

  test('is silent again when its block is gone, and taken from the one that it comes back in', async () => {
    const { sight, undone, ask, final, state, mine, silent, outlive } = await aPurchase()
    await sight(DOUBTED)
    expect(await silent()).toEqual({ all: 0, ofSeller: 0 })
    await undone(BLOCK.height - 1n)
    expect(await silent()).toEqual({ all: 1, ofSeller: 1 })
    expect(await ask(LONG, FAILED)).toBe(0)
    await mine(7n, 'a7')
    await sight({ ...PAID, height: 7n, blockHash: 'a7' })
    expect(await state()).toBe('confirmed: 150 and 100 held')
    await final(7n)
    expect(await state()).toBe(SETTLED)

    const gone = await aPurchase()
    await gone.sight(DOUBTED)
    await gone.undone(BLOCK.height - 1n)
    expect(await gone.outlive()).toBe(1)
    await gone.final()
    expect(await gone.state()).toBe(EXPIRED)
    expect(await outlive()).toBe(0)
  })

  test('is told by whoever follows alone: an instance that has lost the lease changes nothing', async () => {
    const { sight, ask, state, final, lease } = await aPurchase()
    await sight(DOUBTED)
    const lost = await lease('one', 0)
    await lease('two')
    await expect(ask(LONG, FAILED, lost)).rejects.toThrow(LeaseLost)
    await final()
    expect(await state()).toBe(PENDING)
    expect(await ask(LONG, PAID, await lease('two'))).toBe(1)
    await final()
    expect(await state()).toBe(SETTLED)
  })
})
