import type { NetworkId } from '@florin/wire/network.ts'
import { addToOutbox } from '../events/store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { BuiltEffect, BuiltRecords, BuiltState, NewBuilt } from '../sender/built-records.ts'
import { notifyChanged } from '../store/listen.ts'
import type { Tx } from '../store/postgres.ts'
import {
  abandonBuilt,
  builtAbove,
  claimBuilt,
  confirmedBuilt,
  givenUpAmong,
} from './built-store.ts'
import type { SeenBuilt } from './built-store.ts'
import { paymentEvent } from './event.ts'
import { movePayments, violateFinality } from './move-payments.ts'
import { newPayment } from './new-payment.ts'
import type { Payment, PaymentFailure, PaymentRemark, PaymentStatus } from './payment.ts'
import type { Committed, ProofKeys } from './proof.ts'
import { noteRemarks } from './remark-store.ts'
import { remarkOf } from './remark.ts'
import { findPayment, insertPayments } from './store.ts'
import type { StatusChange } from './store.ts'

const REVERTED: PaymentFailure = {
  reason: 'transaction_reverted',
  message: remarkOf('transaction_reverted').message,
}

/**
 * The records of payments that are built here and signed elsewhere. No money of ours is in them: no hold, no ledger entry, no place. Every
 * call but `proofKeys`' runs in the transaction of whoever saw the chain or was asked.
 */
export function openBuiltRecords({
  clock,
  proofs,
}: {
  readonly clock: Clock
  readonly proofs: ProofKeys
}): BuiltRecords {
  const move = (tx: Tx, status: PaymentStatus, changes: readonly StatusChange[]) =>
    movePayments(tx, status, changes, clock.nowMilliseconds())

  const stateOf = (payment: Payment): BuiltState => ({
    status: payment.status,
    paymentProof: proofs.proofOf(payment),
    hash: payment.transactionHash,
    abandoned: (payment.selfCustody?.abandonedAtMilliseconds ?? null) !== null,
  })

  return {
    /** The 32 bytes that the chain is to show. */
    commitmentOf: (committed: Committed): Uint8Array => proofs.commitmentOf(committed),

    open: async (tx: Tx, built: readonly NewBuilt[]): Promise<readonly BuiltState[]> => {
      const now = clock.nowMilliseconds()
      const payments = built.map((each) => recordOf(each, now))
      await insertPayments(tx, payments)
      await addToOutbox(
        tx,
        payments.map((payment) => paymentEvent(payment, null)),
        now,
      )
      return payments.map(stateOf)
    },

    /** Undefined: the account has no such payment. */
    state: async (
      tx: Tx,
      accountId: AccountId,
      paymentId: PaymentId,
    ): Promise<BuiltState | undefined> => {
      const payment = await findPayment(tx, accountId, paymentId)
      return payment?.selfCustody === undefined ? undefined : stateOf(payment)
    },

    /** Notes that its owner gave it up; whoever has signed it can still send it. */
    abandon: async (tx: Tx, accountId: AccountId, paymentId: PaymentId): Promise<void> => {
      if (!(await abandonBuilt(tx, accountId, paymentId, clock.nowMilliseconds()))) return
      const payment = await findPayment(tx, accountId, paymentId)
      if (payment === undefined) throw new Error('a payment is gone')
      await addToOutbox(tx, [paymentEvent(payment, null)], clock.nowMilliseconds())
    },

    givenUp: givenUpAmong,

    /** The chain shows exactly what was built. Those that really moved. */
    confirmed: (tx: Tx, effects: readonly BuiltEffect[]): Promise<ReadonlySet<PaymentId>> =>
      move(tx, 'confirmed', effects.map(seen)),

    /** Says what the chain showed instead, or takes that back. */
    remark: async (
      tx: Tx,
      remarks: readonly { paymentId: PaymentId; reason: PaymentRemark['reason'] | null }[],
    ): Promise<void> => notifyChanged(tx, await noteRemarks(tx, remarks.map(remarked))),

    /** The blocks above a height are gone: the ids of payments that are pending again. */
    undone: async (tx: Tx, network: NetworkId, height: bigint): Promise<ReadonlySet<PaymentId>> => {
      const gone = await builtAbove(tx, network, height)
      const violated = gone.filter(({ status }) => status === 'settled').map(({ id }) => id)
      if (violated.length > 0) await violateFinality(tx, violated, clock.nowMilliseconds())
      const reopened = gone.filter(({ status }) => status === 'confirmed')
      return move(
        tx,
        'pending',
        reopened.map(({ id }) => nothing(id)),
      )
    },

    /**
     * Settles what was confirmed at or below a final height, at most `count`. An effect that somebody else has counted is counted
     * once: the payment that comes second stays as it is.
     */
    final: async (
      tx: Tx,
      network: NetworkId,
      height: bigint,
      count: number,
    ): Promise<readonly PaymentId[]> => {
      const confirmed = await confirmedBuilt(tx, network, height, count)
      const now = clock.nowMilliseconds()
      const committed = confirmed.filter(({ isCommitted }) => isCommitted)
      const claimed = await claimBuilt(tx, network, committed, now)
      const settling = confirmed.filter(({ id, isCommitted }) => !isCommitted || claimed.has(id))
      return [...(await move(tx, 'settled', settling.map(settledAt)))]
    },

    /** It took no effect and can take none any more: proven at finality. The ids that really moved. */
    over: async (
      tx: Tx,
      ends: readonly { paymentId: PaymentId; reason: PaymentRemark['reason'] }[],
    ): Promise<ReadonlySet<PaymentId>> => {
      const failed = ends.filter(({ reason }) => reason === 'transaction_reverted')
      const expired = ends.filter(({ reason }) => reason !== 'transaction_reverted')
      await noteRemarks(tx, ends.map(remarked), { first: true })
      const moved = [
        await move(
          tx,
          'expired',
          expired.map(({ paymentId }) => nothing(paymentId)),
        ),
        await move(
          tx,
          'failed',
          failed.map(({ paymentId }) => ({ ...nothing(paymentId), failure: REVERTED })),
        ),
      ]
      return new Set(moved.flatMap((ids) => [...ids]))
    },
  }
}

function recordOf(built: NewBuilt, nowMilliseconds: number): Payment {
  const { paymentId, accountId, network, asset, amount, sender, recipient, tradeId } = built
  const { resource, metadataText, priorityFee, commitment } = built
  return newPayment(
    {
      ...{ id: paymentId, accountId, type: 'sent', walletId: null, amount, sender, recipient },
      ...{ resource, metadataText, priorityFee, commitment },
      selfCustody: { abandonedAtMilliseconds: null },
      ...(tradeId === undefined ? {} : { tradeId }),
    },
    network,
    asset,
    nowMilliseconds,
  )
}

function remarked({
  paymentId,
  reason,
}: {
  readonly paymentId: PaymentId
  readonly reason: PaymentRemark['reason'] | null
}) {
  return { paymentId, remark: reason === null ? null : remarkOf(reason) }
}

function seen({ paymentId, ...effect }: BuiltEffect): StatusChange {
  return {
    paymentId,
    transactionHash: effect.transactionHash,
    blockHeight: effect.height,
    blockHash: effect.blockHash,
    logIndex: effect.effectIndex,
    feePaid: effect.feePaid,
    failure: null,
  }
}

function settledAt({ id, ...place }: SeenBuilt): StatusChange {
  return seen({ paymentId: id, ...place })
}

function nothing(paymentId: PaymentId): StatusChange {
  return {
    paymentId,
    transactionHash: null,
    blockHeight: null,
    blockHash: null,
    logIndex: null,
    feePaid: null,
    failure: null,
  }
}
