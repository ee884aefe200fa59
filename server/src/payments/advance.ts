import { baseUnits } from '@florin/wire/amount.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { openAudit } from '../audit/audit.ts'
import { lookSoon } from '../facilitator/claim-looks-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId, TradeId } from '../kernel/id.ts'
import type { Random } from '../kernel/random.ts'
import { funding, post, release } from '../ledger/entry.ts'
import type { Hold, LedgerTransfer } from '../ledger/entry.ts'
import { openHolds, record } from '../ledger/store.ts'
import { releaseSpends } from '../policies/spends-store.ts'
import type { PaymentBook, WithoutEffect } from '../sender/book.ts'
import { feesBefore } from '../sender/place-store.ts'
import type { MinedTrade, TradeBook } from '../sender/trade-book.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import { bookFillings } from './book-fillings.ts'
import { findEffect } from './find-effect.ts'
import { heldUnits } from './held-units.ts'
import { moveAndGive, movePayments, violateFinality } from './move-payments.ts'
import type { Payment, PaymentFailure, PaymentStatus } from './payment.ts'
import { noteRemarks } from './remark-store.ts'
import type { CountedEffect, StatusChange } from './store.ts'
import { claimEffects, lockPayments } from './store.ts'
import type { Waits } from './wait.ts'

const FAILURES = {
  transaction_reverted: 'The transaction was included and reverted; the network kept its fee.',
  no_effect: 'The transaction was included but moved nothing; the network kept its fee.',
  nonce_used_by_another_transaction:
    'Another transaction of the same key, not made by this service, took its place on chain.',
} as const satisfies Record<PaymentFailure['reason'], string>

/**
 * Moves payments along as the sender sees the chain. Status, ledger, budget and event change in the sender's own transaction;
 * each call may be repeated and then changes nothing, because every update names the statuses it may start from.
 */
export function openPaymentBook({
  clock,
  trades,
  waits,
  random,
}: {
  readonly clock: Clock
  /** Left out where nothing is traded. */
  readonly trades?: TradeBook
  /** Left out where whoever waits reads for themselves. */
  readonly waits?: Pick<Waits, 'hold'>
  /** For the audit log of what the service does by itself; left out where nobody reads it. */
  readonly random?: Random
}): PaymentBook {
  const audit = random === undefined ? undefined : openAudit({ clock, random })
  const moved = (
    tx: Tx,
    status: PaymentStatus,
    changes: readonly StatusChange[],
    locked?: ReadonlyMap<PaymentId, Payment>,
  ) => movePayments(tx, status, changes, clock.nowMilliseconds(), locked)

  /** What final trades brought in and no look at the chain has found before. */
  async function proceedsOf(
    tx: Tx,
    payments: ReadonlyMap<PaymentId, Payment>,
    settled: readonly StatusChange[],
  ): Promise<readonly LedgerTransfer[]> {
    const proceeds = await trades?.final(
      tx,
      settled.map(({ paymentId }) => paymentId),
    )
    return (proceeds ?? []).flatMap(({ paymentId, asset, units }) => {
      const { accountId, walletId, network } = payments.get(paymentId) ?? {}
      return accountId === undefined || network === undefined || !walletId
        ? []
        : [funding({ accountId, walletId, network, asset }, units, paymentId)]
    })
  }

  /** Of received payments, for which sellers wait. Nothing of a block that nobody can name is told. */
  function holdNews(confirmed: readonly Payment[], changes: readonly StatusChange[]) {
    const blocks = new Map(changes.map(({ paymentId, blockHash }) => [paymentId, blockHash]))
    const paid = confirmed.flatMap((payment) => {
      const blockHash = blocks.get(payment.id) ?? null
      return payment.type === 'sent' || blockHash === null ? [] : [{ payment, blockHash }]
    })
    const release = waits?.hold(paid.map(({ payment }) => payment.id))
    return (followedHeight?: bigint): void =>
      release?.(
        followedHeight === undefined ? [] : paid.map((each) => ({ ...each, followedHeight })),
      )
  }

  return {
    mined: async (tx, transactions) => {
      const payments = await byId(
        tx,
        transactions.flatMap(({ paymentIds }) => paymentIds),
      )
      const remarked = new Map<PaymentId, Payment>()
      const changes: StatusChange[] = []
      const elsewhere: PaymentId[] = []
      const idle: WithoutEffect[] = []
      const reverted: PaymentId[] = []
      const traded: MinedTrade[] = []
      for (const transaction of transactions) {
        if (!transaction.succeeded) {
          reverted.push(...transaction.paymentIds)
          continue
        }
        const used = new Set<number>()
        const shares = feeShares(transaction)
        for (const [index, id] of transaction.paymentIds.entries()) {
          const payment = payments.get(id)
          if (payment === undefined) continue
          const effect = findEffect(payment, transaction, used)
          if (effect === undefined) idle.push({ hash: transaction.hash, paymentId: id })
          else changes.push(seen(id, transaction, effect.logIndex, shares[index]))
          if (effect !== undefined && isConfirmedElsewhere(payment, transaction)) elsewhere.push(id)
          if (effect?.remark !== undefined && payment.status === 'pending') {
            remarked.set(id, { ...payment, remark: effect.remark })
          }
          if (effect !== undefined && payment.tradeId !== undefined) {
            traded.push(tradeIn(transaction, payment.tradeId))
          }
        }
      }
      // Before the status: whoever waits for it reads what came in.
      if (traded.length > 0) await trades?.mined(tx, traded)
      // What somebody else was seen to have paid on a branch that was left is paid by this one: an authorization is used once.
      await moved(tx, 'pending', elsewhere.map(notSeen), payments)
      const now = clock.nowMilliseconds()
      const remarks = [...remarked].map(([paymentId, { remark = null }]) => ({ paymentId, remark }))
      await noteRemarks(tx, remarks)
      const known = new Map([...payments, ...remarked])
      const confirmed = await moveAndGive(tx, 'confirmed', changes, now, known)
      // A settlement that was included without effect changes no status, and somebody may be waiting to hear of it.
      const without = [...reverted, ...idle.map(({ paymentId }) => paymentId)]
      await notifyChanged(tx, without)
      await lookSoon(tx, without)
      return { withoutEffect: idle, hold: () => holdNews(confirmed, changes) }
    },

    vanished: async (tx, _network, paymentIds) => {
      await trades?.vanished(tx, paymentIds)
      await moved(tx, 'pending', paymentIds.map(notSeen))
    },

    final: async (tx, transactions) => {
      const holds = await holdsById(
        tx,
        transactions.flatMap(({ paymentIds }) => paymentIds),
      )
      const payments = await byId(
        tx,
        transactions.flatMap(({ paymentIds }) => paymentIds),
      )
      const settled: StatusChange[] = []
      const failed: StatusChange[] = []
      const closings: LedgerTransfer[] = []
      // One whose effect counts for another payment stays as it is, with its money, and the doctor names it.
      const doubled = await claimEffects(
        tx,
        effectsOf(payments, transactions),
        clock.nowMilliseconds(),
      )
      for (const transaction of transactions) {
        const shares = feeShares(transaction)
        for (const [index, id] of transaction.paymentIds.entries()) {
          const payment = payments.get(id)
          if (payment === undefined || isElsewhere(payment, transaction)) continue
          if (doubled.has(id)) continue
          const paid = payment.status === 'confirmed'
          const fee = shares[index] ?? 0n
          if (paid) settled.push(seen(payment.id, transaction, payment.logIndex, fee))
          else if (payment.status === 'pending') {
            const reason = transaction.succeeded ? 'no_effect' : 'transaction_reverted'
            failed.push({ ...seen(payment.id, transaction, null, fee), failure: failureOf(reason) })
          } else continue
          // The amount when the payment took effect, and the fee from the native hold, whole, also where the network took more than its ceiling.
          const open = holds.get(payment.id) ?? []
          for (const hold of open) {
            const moved = paid ? heldUnits(hold, open, payment) : 0n
            closings.push(post(hold, { moved, fee: hold.asset === 'native' ? fee : 0n }))
          }
        }
      }
      const traded = settled.filter(
        ({ paymentId }) => payments.get(paymentId)?.tradeId !== undefined,
      )
      if (traded.length > 0) closings.push(...(await proceedsOf(tx, payments, traded)))
      await record(tx, closings, clock.nowMilliseconds())
      const carryNothing = transactions.filter(({ paymentIds }) => paymentIds.length === 0)
      if (carryNothing.length > 0) {
        await bookFillings(tx, carryNothing, { audit, nowMilliseconds: clock.nowMilliseconds() })
      }
      await moved(tx, 'settled', settled, payments)
      const ended = await moved(tx, 'failed', failed, payments)
      await releaseSpends(tx, [...ended], clock.nowMilliseconds())
    },

    dead: async (tx, transactions) => {
      const ids = transactions.flatMap(({ paymentIds }) => paymentIds)
      const holds = await openHolds(tx, ids)
      const before = await feesBefore(tx, ids)
      const closings = holds.map((hold) => closedDead(hold, before.get(hold.paymentId) ?? 0n))
      await record(tx, closings, clock.nowMilliseconds())
      const payments = await byId(tx, ids)
      const expired = transactions.flatMap(({ paymentIds, reason }) =>
        reason === 'authorization_expired' ? paymentIds : [],
      )
      const ended = await moved(tx, 'expired', expired.map(notSeen), payments)
      // What never moved counts against no budget; a received payment has none.
      await releaseSpends(tx, [...ended], clock.nowMilliseconds())
      const changes = transactions.flatMap(({ paymentIds, reason }) =>
        reason === 'authorization_expired'
          ? []
          : paymentIds
              // Whoever holds a payer's authorization can still submit it: that is no failure of the payment.
              .filter((paymentId) => payments.get(paymentId)?.type === 'sent')
              .map((paymentId) => ({ paymentId, ...NOTHING_SEEN, failure: failureOf(reason) })),
      )
      const failed = await moved(tx, 'failed', changes, payments)
      await releaseSpends(tx, [...failed], clock.nowMilliseconds())
      const over = new Set([...expired, ...changes.map(({ paymentId }) => paymentId)])
      await lookSoon(
        tx,
        ids.filter((id) => !over.has(id)),
      )
    },

    finalityViolated: (tx, _network, paymentIds) =>
      violateFinality(tx, paymentIds, clock.nowMilliseconds()),
  }
}

/** Nothing moved, but for what the network took for a place that had to be in before. */
function closedDead(hold: Hold, fee: bigint): LedgerTransfer {
  if (hold.asset !== 'native' || fee === 0n) return release(hold)
  return post(hold, { moved: 0n, fee })
}

const NOTHING_SEEN = {
  transactionHash: null,
  blockHeight: null,
  blockHash: null,
  logIndex: null,
  feePaid: null,
} as const

function notSeen(paymentId: PaymentId): StatusChange {
  return { paymentId, ...NOTHING_SEEN, failure: null }
}

function failureOf(reason: PaymentFailure['reason']): PaymentFailure {
  return { reason, message: FAILURES[reason] }
}

function seen(
  paymentId: PaymentId,
  { hash, height, blockHash }: Parameters<PaymentBook['final']>[1][number],
  logIndex: number | null,
  feePaid = 0n,
): StatusChange {
  return {
    paymentId,
    transactionHash: hash,
    blockHeight: height,
    blockHash,
    logIndex,
    feePaid: baseUnits(feePaid),
    failure: null,
  }
}

function tradeIn(
  transaction: Parameters<PaymentBook['mined']>[1][number],
  tradeId: TradeId,
): MinedTrade {
  const { network, height, transfers, senderChanges, priorityFeePaid } = transaction
  return { network, tradeId, height, transfers, senderChanges, priorityFeePaid }
}

/** What each payment of a transaction bears of its fee; the first one also what the division leaves over. */
function feeShares({
  feePaid,
  paymentIds,
}: Parameters<PaymentBook['final']>[1][number]): readonly bigint[] {
  const count = BigInt(Math.max(paymentIds.length, 1))
  return paymentIds.map((_, index) => feePaid / count + (index === 0 ? feePaid % count : 0n))
}

/**
 * Whether this transaction is not what decides the payment: a settlement that came to nothing leaves the payer's authorization as good as
 * before, and another transaction may have paid meanwhile. The facilitator follows those to their end.
 */
function isElsewhere(
  { type, status, transactionHash }: Payment,
  { hash }: { readonly hash: TransactionHash },
): boolean {
  return type === 'received' && (status !== 'confirmed' || transactionHash !== hash)
}

/** Whether another transaction is taken for the one that paid, or this one in another block. */
function isConfirmedElsewhere(
  { type, status, transactionHash, blockHeight }: Payment,
  { hash, height }: Pick<Parameters<PaymentBook['mined']>[1][number], 'hash' | 'height'>,
): boolean {
  const isHere = transactionHash === hash && blockHeight === height
  return type === 'received' && status === 'confirmed' && !isHere
}

/** The effects of the payments that become final with these transactions. */
function effectsOf(
  payments: ReadonlyMap<PaymentId, Payment>,
  transactions: Parameters<PaymentBook['final']>[1],
): readonly CountedEffect[] {
  return transactions.flatMap((transaction) =>
    transaction.paymentIds.flatMap((paymentId) => {
      const payment = payments.get(paymentId)
      if (payment?.status !== 'confirmed' || isElsewhere(payment, transaction)) return []
      const { network, accountId, type: direction, logIndex } = payment
      const place = { network, transactionHash: transaction.hash, effectIndex: logIndex ?? 0 }
      return [{ ...place, direction, paymentId, accountId }]
    }),
  )
}

async function byId(tx: Tx, ids: readonly PaymentId[]): Promise<ReadonlyMap<PaymentId, Payment>> {
  const payments = await lockPayments(tx, ids)
  return new Map(payments.map((payment) => [payment.id, payment]))
}

async function holdsById(
  tx: Tx,
  ids: readonly PaymentId[],
): Promise<ReadonlyMap<PaymentId, readonly Hold[]>> {
  const grouped = new Map<PaymentId, Hold[]>()
  for (const hold of await openHolds(tx, ids)) {
    grouped.set(hold.paymentId, [...(grouped.get(hold.paymentId) ?? []), hold])
  }
  return grouped
}
