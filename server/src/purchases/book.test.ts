import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OUTBOX_FACTS } from '../events/test-facts.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { findInBooks } from '../doctor/books-store.ts'
import { addToOutbox } from '../events/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { nativeUnitsPerUnit } from '../kernel/currency-tokens.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import type { PaymentId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { lockBalances } from '../ledger/store.ts'
import { paymentEvent } from '../payments/event.ts'
import { planFunds } from '../payments/funds.ts'
import { bookHolds } from '../payments/hold.ts'
import { movePayments } from '../payments/move-payments.ts'
import type { Payment } from '../payments/payment.ts'
import { minedSpends } from '../payments/mined-spends-store.ts'
import { findPayment, insertPayments } from '../payments/store.ts'
import { makeWallet, RECIPIENT, testNetwork, TOKEN } from '../payments/test-lane.ts'
import { reserve } from '../policies/spends-store.ts'
import { beginFollowing, storeBlocks, takeLease } from '../sender/follower-store.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { openPurchaseBook } from './book.ts'
import { silentPurchases } from './live-store.ts'
import { refuseUnfit } from './refuse-unfit.ts'
import { findPurchase, insertPurchase } from './store.ts'

/** A network for each purchase: what one test undoes is no other's. */
const FIRST_CHAIN = 71_600
let chains = 0
/** What the wallet has, and what the seller may take of it. */
const FUNDS = 250n
const MOST = baseUnits(100n)
const BLOCK = { height: 5n, hash: 'block 5' }

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const book = openPurchaseBook({ clock: systemClock, log: openLog('silent') })
const inService = <T>(work: Parameters<typeof database.store.inTransaction<T>>[1]) =>
  database.store.inTransaction('service', work)

function paymentOf(wallet: Wallet, network: NetworkId, paymentId: PaymentId): Payment {
  return {
    ...{ id: paymentId, accountId: wallet.accountId, type: 'sent', walletId: wallet.id, network },
    ...{ asset: TOKEN, amount: MOST, decimals: 6, sender: wallet.address, recipient: RECIPIENT },
    ...{ resource: 'https://shop.example/', metadataText: null, priorityFee: null },
    ...{ feeCeiling: baseUnits(0n), commitment: null, status: 'pending', sandbox: true },
    ...{ finalityViolated: false, transactionHash: null, blockHeight: null, logIndex: null },
    ...{ feePaid: null, failure: null, createdAtMilliseconds: systemClock.nowMilliseconds() },
    ...{ confirmedAtMilliseconds: null, settledAtMilliseconds: null },
  }
}

/** A purchase by upto that was signed, with its hold, its budget and its event. */
async function aPurchase(isCurrency = false) {
  chains += 1
  const { network, assets: listed } = testNetwork(FIRST_CHAIN + chains)
  const assets = listed.map((each) =>
    isCurrency && each.asset === TOKEN ? { ...each, isCurrency: true as const } : each,
  )
  /** Where the money of the token stands, and as how much. */
  const [booked, unit] = isCurrency ? ['native', nativeUnitsPerUnit(6)] : [TOKEN, 1n]
  const hash = `0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}` as TransactionHash
  await inService((tx) => beginFollowing(tx, network, BLOCK))
  const wallet = await makeWallet(database.store)
  const { accountId } = wallet
  const paymentId = newId(systemRandom, 'pay')
  const payment = paymentOf(wallet, network, paymentId)
  const now = systemClock.nowMilliseconds()
  await database.store.inTransaction(accountId, async (tx) => {
    await insertPayments(tx, [payment])
    const spend = { paymentId, accountId, walletId: wallet.id, network, asset: TOKEN, amount: MOST }
    await reserve(tx, [spend], now)
    const funds = [{ asset: booked, amount: FUNDS * unit, paymentId }]
    await bookHolds(tx, { wallet, config: { network, assets }, nowMilliseconds: now }, funds, [
      payment,
    ])
    const stored = { value: `${MOST}`, permitted: `${MOST}`, pays: 'upto', to: RECIPIENT }
    const purchase = {
      ...{
        paymentId,
        accountId,
        walletId: wallet.id,
        network,
        stored,
        url: 'https://shop.example/',
      },
      ...{ requestDigest: systemRandom.bytes(32), proofKey: proofKey(paymentId), looks: 0 },
      ...{
        validBeforeSeconds: 2n ** 40n,
        lastValidBlockHeight: null,
        feePayer: null,
        sinceHeight: 1n,
      },
      ...{
        headerName: 'PAYMENT-SIGNATURE' as const,
        header: 'proof',
        askingUntilMilliseconds: null,
      },
      ...{ shown: 0, answer: null, isDelivered: false },
    }
    await insertPurchase(tx, purchase, now)
    await addToOutbox(tx, [paymentEvent(payment, null)], now)
  })
  const place = { accountId, walletId: wallet.id, network, assets: [booked] }
  return {
    paymentId,
    final: (height = BLOCK.height) => inService((tx) => book.final(tx, network, height, 10)),
    /** Another payment of the wallet that its own transaction made, with the same effect. */
    sentBeside: async (taken: bigint, status: 'confirmed' | 'settled') => {
      const other = paymentOf(wallet, network, newId(systemRandom, 'pay'))
      const seen = { transactionHash: hash, blockHeight: BLOCK.height, blockHash: BLOCK.hash }
      const fee = { feePaid: baseUnits(0n), failure: null }
      const change = { paymentId: other.id, ...seen, logIndex: Number(taken), ...fee }
      await inService(async (tx) => {
        await insertPayments(tx, [other])
        await movePayments(tx, 'confirmed', [change], systemClock.nowMilliseconds())
        if (status === 'settled') {
          await movePayments(tx, status, [change], systemClock.nowMilliseconds())
        }
      })
    },
    undone: () => inService((tx) => book.undone(tx, network, BLOCK.height - 1n)),
    /** The follower reads one more block. */
    follow: (height: bigint, blockHash: string) =>
      inService(async (tx) => {
        const cursor = await takeLease(tx, network, 'test', 60_000)
        if (cursor === undefined) throw new Error('no lease')
        const block = { height, hash: blockHash, parentHash: cursor.blockHash }
        await storeBlocks(tx, cursor, [{ ...block, timeMilliseconds: 0, transactionHashes: [] }])
      }),
    used: (taken: bigint, blockHash = BLOCK.hash, height = BLOCK.height, isLess = false) =>
      inService((tx) => {
        const effect = { hash, height, blockHash, logIndex: Number(taken), isLess }
        return book.used(tx, network, [{ paymentId, ...effect, taken: baseUnits(taken) }])
      }),
    state: () =>
      database.store.inTransaction(accountId, async (tx) => {
        const { status, amount } = (await findPayment(tx, accountId, paymentId)) ?? {}
        const { available, held } = (await lockBalances(tx, place)).get(booked) ?? {}
        return { status, amount, available, held }
      }),
    remark: () =>
      database.store.inTransaction(accountId, async (tx) => {
        const { remark } = (await findPayment(tx, accountId, paymentId)) ?? {}
        return remark?.reason
      }),
    /** What the newest event and the policy say: base units, null when the budget was given back. */
    said: () =>
      inService(async (tx) => {
        const [event] = await tx.query<{ amount: string }>(
          'test_event',
          `select data ->> 'amountBaseUnits' as amount from ${OUTBOX_FACTS}
           where resource_id = $1 and type = 'payment' order by id desc, nth desc limit 1`,
          [paymentId],
        )
        const [spend] = await tx.query<{ amount: string | null }>(
          'test_spend',
          `select case when released_at is null then amount end as amount from policy_spends where payment_id = $1`,
          [paymentId],
        )
        return { event: event?.amount, budget: spend?.amount }
      }),
    /** Whether a caller may join it who would pay so much. */
    join: (ceiling: bigint) =>
      database.store.inTransaction(accountId, async (tx) => {
        const purchase = await findPurchase(tx, accountId, paymentId)
        const asset = assets.find((each) => each.asset === TOKEN)
        if (purchase === undefined || asset === undefined) throw new Error('no purchase')
        await refuseUnfit(tx, purchase, { asset, ceiling: baseUnits(ceiling) })
      }),
    /** What a look is due for, some time in the far future. */
    due: () => inService((tx) => silentPurchases(tx, network, Date.UTC(2100, 0))),
    /** What the wallet could send when a node shows it with so much at a height, and what would be booked as new money. */
    spendable: (onChain: bigint, height: bigint, amount: bigint) =>
      database.store.inTransaction(accountId, async (tx) => {
        const balances = await lockBalances(tx, { ...place, assets: [TOKEN, 'native'] })
        const mined = await minedSpends(tx, wallet, network, height)
        const plan = planFunds({ balances, mined })
        const asset = assets.find((each) => each.asset === TOKEN)
        if (asset === undefined) throw new Error('no asset')
        const shown = { native: 0n, asset: onChain, height, blockHash: null }
        const draft = { balances: shown, feeCeiling: baseUnits(0n), laneLatest: 0n }
        const { ok } = plan.take({ asset, amount, draft: { ...DRAFT, ...draft } }, true)
        return { ok, discovered: plan.discovered.get(TOKEN) ?? 0n }
      }),
  }
}

const DRAFT = { terms: Object(), carriesCommitment: false }
const findings = () => inService(findInBooks)

test('what a token kept a part of has left the wallet, and its record says that less arrived, as long as its block stands', async () => {
  const { used, undone, final, state, remark } = await aPurchase()
  await used(30n, BLOCK.hash, BLOCK.height, true)
  expect(await remark()).toBe('recipient_got_less')
  await undone()
  expect(await remark()).toBeUndefined()
  await used(30n, BLOCK.hash, BLOCK.height, true)
  await final()
  expect(await state()).toEqual({ status: 'settled', amount: 30n, available: 220n, held: 0n })
  expect(await remark()).toBe('recipient_got_less')
  expect(await findings()).toEqual([])
})

describe('a purchase of which the seller takes less than it may', () => {
  test('says the most until the chain shows less, and at finality the rest of money and budget is free', async () => {
    const { used, final, state, said } = await aPurchase()
    expect(await state()).toEqual({ status: 'pending', amount: 100n, available: 150n, held: 100n })
    await used(30n)
    expect(await state()).toEqual({ status: 'confirmed', amount: 30n, available: 150n, held: 100n })
    expect(await said()).toEqual({ event: '30', budget: '100' })
    expect(await findings()).toEqual([])
    await final()
    expect(await state()).toEqual({ status: 'settled', amount: 30n, available: 220n, held: 0n })
    expect(await said()).toEqual({ event: '30', budget: '30' })
    expect(await findings()).toEqual([])
  })

  test('of a token that is the native currency takes its part out of the one book that there is', async () => {
    const { used, final, state, said } = await aPurchase(true)
    const of = (amount: bigint) => amount * nativeUnitsPerUnit(6)
    expect(await state()).toMatchObject({ available: of(150n), held: of(100n) })
    await used(30n)
    expect(await findings()).toEqual([])
    await final()
    const settled = { status: 'settled', amount: 30n, available: of(220n), held: 0n }
    expect(await state()).toEqual(settled)
    expect(await said()).toEqual({ event: '30', budget: '30' })
    expect(await findings()).toEqual([])
  })

  test('is the most again when its block is gone, and another block may take another amount', async () => {
    const { used, undone, final, state, said } = await aPurchase()
    await used(30n)
    await undone()
    expect(await state()).toEqual({ status: 'pending', amount: 100n, available: 150n, held: 100n })
    expect(await said()).toEqual({ event: '100', budget: '100' })
    // A node that still shows a block that was left, and one whose block the followed chain has never shown.
    await used(40n, 'a block of another fork')
    expect(await state()).toEqual({ status: 'pending', amount: 100n, available: 150n, held: 100n })
    expect(await findings()).toEqual([])
    await used(41n)
    await final()
    expect(await state()).toEqual({ status: 'settled', amount: 41n, available: 209n, held: 0n })
    expect(await findings()).toEqual([])
  })

  test('says what the first look at it found, whatever another one finds on another fork meanwhile', async () => {
    const { used, undone, final, state } = await aPurchase()
    await Promise.all([used(30n), used(90n)])
    const { amount } = await state()
    expect([30n, 90n]).toContain(amount)
    await used(amount === 30n ? 90n : 30n)
    expect(await state()).toMatchObject({ status: 'confirmed', amount })
    expect(await findings()).toEqual([])
    await undone()
    await used(90n)
    await final()
    expect(await state()).toEqual({ status: 'settled', amount: 90n, available: 160n, held: 0n })
    expect(await findings()).toEqual([])
  })

  test('that is never taken gives everything back, and nothing twice', async () => {
    const { paymentId, used, state, said } = await aPurchase()
    const over = () => inService((tx) => book.over(tx, [paymentId]))
    await over()
    await over()
    await used(30n)
    expect(await state()).toEqual({ status: 'expired', amount: 100n, available: 250n, held: 0n })
    expect(await said()).toEqual({ event: '100', budget: null })
    expect(await findings()).toEqual([])
  })

  test('never costs more than was signed for, whatever a search of the chain finds', async () => {
    const { used, state } = await aPurchase()
    await expect(used(101n)).rejects.toThrow('purchases_taken')
    await expect(used(0n)).rejects.toThrow('purchases_taken')
    expect(await state()).toEqual({ status: 'pending', amount: 100n, available: 150n, held: 100n })
  })

  test('lends its rest to nobody before finality, and what the chain still shows is not taken for new money', async () => {
    const { used, final, spendable } = await aPurchase()
    await used(30n)
    // The chain shows 220, of which the seller could still have 100 after a reorg.
    for (const [height, onChain] of [
      [BLOCK.height, 220n],
      [BLOCK.height - 1n, 250n],
    ] as const) {
      expect(await spendable(onChain, height, 150n)).toEqual({ ok: true, discovered: 0n })
      expect(await spendable(onChain, height, 151n)).toEqual({ ok: false, discovered: 0n })
    }
    await final()
    for (const [height, onChain] of [
      [BLOCK.height, 220n],
      [BLOCK.height - 1n, 250n],
    ] as const) {
      expect(await spendable(onChain, height, 220n)).toEqual({ ok: true, discovered: 0n })
      expect(await spendable(onChain, height, 221n)).toEqual({ ok: false, discovered: 0n })
    }
  })

  test('is not believed of a block that the follower has not read, which may never be its own', async () => {
    const { used, follow, final, state, spendable } = await aPurchase()
    const [next, signed] = [BLOCK.height + 1n, { status: 'pending', amount: 100n }]
    expect(await used(30n, 'of a fork', next)).toEqual(new Set())
    expect(await state()).toEqual({ ...signed, available: 150n, held: 100n })
    await follow(next, 'block 6')
    expect(await used(30n, 'of a fork', next)).toEqual(new Set())
    expect(await state()).toEqual({ ...signed, available: 150n, held: 100n })
    // The money never left the chain: it is no new money, and still the seller's to take.
    expect(await spendable(250n, next, 150n)).toEqual({ ok: true, discovered: 0n })
    expect(await spendable(250n, next, 151n)).toEqual({ ok: false, discovered: 0n })
    expect((await used(41n, 'block 6', next)).size).toBe(1)
    expect(await state()).toMatchObject({ status: 'confirmed', amount: 41n, held: 100n })
    await final()
    expect(await state()).toMatchObject({ status: 'confirmed' })
    await final(next)
    expect(await state()).toEqual({ status: 'settled', amount: 41n, available: 209n, held: 0n })
    expect(await findings()).toEqual([])
  })

  test('counts below all that the follower remembers, where no reorganisation reaches', async () => {
    const { used, state } = await aPurchase()
    await used(30n, 'block 4', BLOCK.height - 1n)
    expect(await state()).toMatchObject({ status: 'confirmed', amount: 30n, held: 100n })
  })

  test('is joined only by who would pay the most of it, also when less was taken', async () => {
    const { used, join } = await aPurchase()
    await used(30n)
    await expect(join(99n)).rejects.toMatchObject({ code: 'POLICY_REFUSED' })
    await expect(join(100n)).resolves.toBeUndefined()
  })

  test.each(['confirmed', 'settled'] as const)(
    'is put aside with its money when its effect is that of a payment of ours that is %s, and stops nobody',
    async (status) => {
      const { paymentId, used, sentBeside, final, undone, state, said, due } = await aPurchase()
      await used(30n)
      await sentBeside(30n, status)
      expect(await final()).toBe(1)
      const aside = { status: 'pending', amount: 100n, available: 150n, held: 100n }
      expect(await state()).toEqual(aside)
      expect(await said()).toEqual({ event: '100', budget: '100' })
      // Nothing comes of it any more by itself, and the doctor names it for whoever has to look.
      expect(await final()).toBe(0)
      await undone()
      expect(await due()).toEqual([])
      expect(await state()).toEqual(aside)
      const named = (await findings()).filter(({ subject }) => subject === paymentId)
      expect(named.map(({ invariant }) => invariant)).toEqual([
        'what a seller took is the effect of one payment alone',
      ])
    },
  )
})
