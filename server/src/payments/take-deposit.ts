import type { NetworkId } from '@florin/wire/network.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { ForeignSettlement } from '../chains/exact.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'
import { depositAt, missingDeposits, standIn } from './deposit-store.ts'
import { movePayments } from './move-payments.ts'
import type { Payment, PaymentFailure } from './payment.ts'
import type { StatusChange } from './store.ts'

/**
 * Has the deposit step back that is the transfer which paid a claim: it was seen before anybody knew of what it is the payment, and one
 * transfer has one record. It is where a reorganisation would have left it, and as such it comes again if the claim turns out to be paid by
 * something else.
 */
export async function takeDeposit(
  tx: Tx,
  claimed: Payment,
  settlement: ForeignSettlement,
  nowMilliseconds: number,
): Promise<void> {
  const deposit = await depositAt(tx, claimed, settlement)
  if (deposit === undefined) return
  const { hash, blockHash } = settlement
  const change = unseen({ id: deposit, transactionHash: hash })
  await movePayments(tx, 'pending', [change], nowMilliseconds)
  await standIn(tx, [{ id: claimed.id, blockHash }])
}

/**
 * Ends the deposits of final transactions that no block shows as their own. A final transaction took effect once: what it showed in a block
 * that is gone, and not in this one, never was.
 */
export async function failMissing(
  tx: Tx,
  network: NetworkId,
  hashes: readonly TransactionHash[],
  nowMilliseconds: number,
): Promise<void> {
  const missing = await missingDeposits(tx, network, hashes)
  await movePayments(
    tx,
    'failed',
    missing.map((deposit) => ({ ...unseen(deposit), failure: failureOf(deposit.recordedAs) })),
    nowMilliseconds,
  )
}

function failureOf(recordedAs: PaymentId | null): PaymentFailure {
  const message =
    recordedAs === null
      ? 'The transaction was included again after a reorganisation, without this transfer.'
      : `This transfer is recorded by ${recordedAs}, the payment that it settled.`
  return { reason: 'no_effect', message }
}

/** Back to where nothing is known but the transaction: by its hash the deposit is found when it comes again. */
export function unseen({
  id,
  transactionHash,
}: {
  readonly id: PaymentId
  readonly transactionHash: TransactionHash
}): StatusChange {
  return {
    paymentId: id,
    transactionHash,
    blockHeight: null,
    blockHash: null,
    logIndex: null,
    feePaid: null,
    failure: null,
  }
}
