import { formatAmount } from '@florin/wire/amount.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { OutboxEvent } from '../events/facts.ts'
import type { Payment } from './payment.ts'

/**
 * What the owner of a payment is told when its state changes. No proof, no metadata: events may be forwarded. While no transaction has taken effect
 * it names the newest one that was signed for it, as its record does; null where there is none.
 */
export function paymentEvent(payment: Payment, newestHash: TransactionHash | null): OutboxEvent {
  return {
    accountId: payment.accountId,
    type: 'payment',
    resourceId: payment.id,
    data: {
      paymentId: payment.id,
      type: payment.type,
      status: payment.status,
      network: payment.network,
      asset: payment.asset,
      amount: formatAmount(payment.amount, payment.decimals),
      amountBaseUnits: payment.amount.toString(),
      sender: payment.sender,
      recipient: payment.recipient,
      resource: payment.resource,
      signature: payment.transactionHash ?? newestHash,
      blockHeight: payment.blockHeight?.toString() ?? null,
      failure: payment.failure,
      ...(payment.tradeId === undefined ? {} : { tradeId: payment.tradeId }),
      ...(payment.selfCustody === undefined ? {} : selfCustodyFacts(payment.selfCustody)),
      ...(payment.remark === undefined ? {} : { remark: payment.remark }),
      ...(payment.finalityViolated ? { finalityViolated: true } : {}),
      ...(payment.sandbox ? { sandbox: true } : {}),
    },
  }
}

function selfCustodyFacts({ abandonedAtMilliseconds }: NonNullable<Payment['selfCustody']>) {
  return {
    selfCustody: true,
    ...(abandonedAtMilliseconds === null ? {} : { abandoned: true }),
  }
}

/** Whether a payment came by a proof that was claimed: a deposit came to a wallet of ours by itself. */
export function isSettlement({ type, walletId }: Payment): boolean {
  return type === 'received' && walletId === null
}

/** What became of a claimed proof, in the words of x402; told beside the payment's own event once there is something to say. */
export function settlementEvent(payment: Payment): OutboxEvent {
  const { status } = payment
  return {
    accountId: payment.accountId,
    type: 'settlement',
    resourceId: payment.id,
    data: {
      paymentId: payment.id,
      success: status === 'confirmed' || status === 'settled',
      status,
      transaction: payment.transactionHash,
      network: payment.network,
      asset: payment.asset,
      amount: formatAmount(payment.amount, payment.decimals),
      amountBaseUnits: payment.amount.toString(),
      payer: payment.sender,
      payTo: payment.recipient,
      resource: payment.resource,
      ...(payment.finalityViolated ? { finalityViolated: true } : {}),
      ...(payment.sandbox ? { sandbox: true } : {}),
    },
  }
}
